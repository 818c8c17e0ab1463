#!/usr/bin/env node
// Plain CommonJS that any Node can read: it finds a Node that can run furrow, or says what is missing.
// The published package carries `dist/`; a checkout without a build runs the sources as they are.
'use strict';
var fs = require('fs');
var path = require('path');
var NEED = [24, 15];

function newEnough(version) {
  var have = version.split('.').map(Number);
  return have[0] > NEED[0] || (have[0] === NEED[0] && have[1] >= NEED[1]);
}

/** The bundle of the build, which starts 8 ms faster, else the sources as they are. */
function start(root) {
  var bundle = path.join(root, 'dist', 'cli', 'main.cjs');
  if (fs.existsSync(bundle)) return run(require(bundle));
  return import(require('url').pathToFileURL(path.join(root, 'src', 'faces', 'cli', 'main.ts')).href).then(run);
}

function run(cli) {
  return cli.main(process.argv.slice(2)).then(function (code) {
    process.exitCode = code;
  });
}

/**
 * Compiled code is kept in the user's own cache folder. The usual place is below the shared temporary folder, where another user could
 * put code that we would run.
 */
function keepCompiled() {
  var home = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'));
  var folder = process.env.NODE_COMPILE_CACHE || (home && path.isAbsolute(home) && path.join(home, 'furrow', 'compiled'));
  if (folder) require('module').enableCompileCache(folder);
}

var root = path.dirname(path.dirname(fs.realpathSync(__filename)));

if (newEnough(process.versions.node)) {
  keepCompiled();
  start(root);
} else {
  var local = path.join(root, 'node_modules', 'node', 'bin', 'node');
  if (process.env.FURROW_RELAUNCHED || !fs.existsSync(local)) {
    process.stderr.write(
      'furrow needs Node ' +
        NEED.join('.') +
        ' or newer; this is Node ' +
        process.versions.node +
        '.\n' +
        'Try: npm ci (in a checkout), or install Node 24.\n',
    );
    process.exit(78);
  }
  var env = Object.assign({}, process.env, { FURROW_RELAUNCHED: '1' });
  var child = require('child_process').spawn(local, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit', env: env });
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (name) {
    // Passed on, since it may have been sent to this process alone; the child counts a terminal's signal to the whole group once.
    process.on(name, function () {
      child.kill(name);
    });
  });
  child.on('exit', function (code, signal) {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exit(code);
  });
}
