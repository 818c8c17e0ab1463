import { render, type SuspendTerminal } from 'ink';
import type { TopDoor, TopProgram } from './door.ts';
import { type Frame, frameOf } from './frame.ts';
import { MOUSE_OFF, MOUSE_ON, withoutMouse } from './mouse.ts';
import { Pace } from './pace.ts';
import { keyOfLines, Screen } from './screen.tsx';
import { Session } from './session.ts';

/** Shows the farm until the person quits. Answers the exit code. */
export const top: TopProgram['top'] = async (door: TopDoor) => {
  const { stdout } = process;
  const size = () => ({ width: stdout.columns || 80, height: stdout.rows || 24 });
  const mouse = (on: boolean) => door.mouse && stdout.write(on ? MOUSE_ON : MOUSE_OFF);
  let suspend: SuspendTerminal | undefined;
  let shown = '';
  let free = false;
  const ready = (how: SuspendTerminal) => {
    suspend = how;
  };
  const session: Session = new Session(door, {
    changed: () => pace.ask(),
    seen: () => frame,
    async release(use) {
      free = true;
      mouse(false);
      await suspend?.(use);
      mouse(true);
      free = false;
      pace.ask();
    },
    quit: () => app.unmount(),
  });
  const make = () => frameOf(session.model, session.state, size(), Date.now(), session.peek.shown());
  let frame: Frame = make();
  const screen = () => <Screen lines={frame.lines} colours={door.colours} onPress={(press) => session.press(press)} onReady={ready} />;
  const pace = new Pace(() => {
    if (free) return Number.POSITIVE_INFINITY;
    frame = make();
    const text = keyOfLines(frame.lines);
    if (text !== shown) app.rerender(screen());
    shown = text;
    return frame.next;
  });
  const stdin = door.mouse ? withoutMouse(process.stdin, (press) => session.press(press)) : process.stdin;
  const app = render(screen(), { stdin, alternateScreen: true, exitOnCtrlC: false, incrementalRendering: true, maxFps: 30 });
  const leave = () => void mouse(false);
  process.on('exit', leave);
  stdout.on('resize', () => pace.ask());
  mouse(true);
  try {
    const ended = app.waitUntilExit();
    // A person may leave before a daemon answers.
    await Promise.race([session.connect(), ended]);
    await ended;
  } finally {
    pace.stop();
    session.close();
    door.close();
    leave();
    process.off('exit', leave);
  }
  return 0;
};
