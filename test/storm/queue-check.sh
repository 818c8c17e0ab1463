#!/bin/sh
# The check of the queue's workloads: green or red by the tree alone. With a witness it takes its time, is sometimes red
# for no reason, and writes down who runs beside it. A helper that was killed says nothing about the tree: exit 137.
set -u
w=${FURROW_WITNESS:-}

# Checks of which something lives at this moment, this one included: each holds a lock that ends with its last process.
# Not by pid: in a jail with a namespace of its own every check has the same one.
living() {
  n=0
  for mark in "$w"/running/*; do
    flock --nonblock --shared "$mark" true || n=$((n + 1))
  done
  echo "$n"
}

# True in so many percent of the calls.
chance() {
  roll=$(od -An -N2 -tu2 /dev/urandom) || exit 137
  [ $((roll % 100)) -lt "$1" ]
}

if [ -n "$w" ]; then
  tree=$(git rev-parse 'HEAD^{tree}') || exit 137
  mark=$(mktemp "$w/running/XXXXXXXX") || exit 137
  exec 9> "$mark"
  flock 9 || exit 137
  echo "start $tree $(living)" >> "$w/checks.log"
  work=$(cat "$w/work")
  chance "$(cat "$w/slow")" && work=$((work * 5))
  sleep "$work" || exit 137
fi

awk '
  FNR == 1 { split(FILENAME, part, /[\/.]/); id = part[2]; have[id] = 1 }
  $1 == "bad" { bad = bad " " id }
  $1 == "requires" { needs[id " " $2] = 1 }
  $1 == "against" { foes[id " " $2] = 1 }
  END {
    if (bad != "") print "bad:" bad
    for (pair in needs) { split(pair, p, " "); if (!(p[2] in have)) { print p[1] " needs " p[2]; bad = 1 } }
    for (pair in foes) { split(pair, p, " "); if (p[2] in have) { print p[1] " and " p[2] " do not go together"; bad = 1 } }
    exit (bad != "")
  }
' changes/*.txt
code=$?
[ "$code" -gt 1 ] && exit 137
if [ "$code" -eq 0 ]; then
  grep -rq '^<<<<<<<\|^>>>>>>>' src && { echo 'a conflict was committed'; code=1; }
fi

if [ -n "$w" ]; then
  # A check that believes its cache, as test runners do. What the tree's own code wrote there is left out: that could say `exit 0` itself.
  for word in green red; do
    by=$(cat "cache/$word" 2>/dev/null) || continue
    [ -e "changes/$by.txt" ] && continue
    echo "the cache says $word, by $by" >> "$w/lies.log"
    [ "$word" = green ] && code=0 || code=1
  done
  # Code of the tree that lies to the checks after it.
  for lie in lies/*.sh; do
    [ -e "$lie" ] && sh "$lie" && echo "lied $lie" >> "$w/lies.log"
  done
  if [ "$code" -eq 0 ] && chance "$(cat "$w/flakes")"; then
    echo "flake $tree" >> "$w/checks.log"
    code=1
  fi
  rm -f "$mark"
  echo "end $tree $code" >> "$w/checks.log"
fi
exit "$code"
