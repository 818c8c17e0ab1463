#!/bin/sh
# Green or red by the tree alone. With a witness it also writes down on what it ran, beside how many, and how that ended.
set -u
w=${FURROW_WITNESS:-}

if [ -n "$w" ]; then
  at=$(git rev-parse HEAD 'HEAD^{tree}') || exit 137
  tree=${at#*
}
  # A lock that ends with the last process of this check: the kernel says who lives.
  mark=$(mktemp "$w/running/XXXXXXXX") || exit 137
  exec 9> "$mark"
  flock 9 || exit 137
  living=0
  for one in "$w"/running/*; do flock --nonblock --shared "$one" true || living=$((living + 1)); done
  echo "start $tree $living" >> "$w/log"
  # Where somebody is expected beside it: until they are there, or do not come.
  n=0
  while [ -e "$w/company" ] && [ "$n" -lt 20 ] && [ "$(grep -c '^start' "$w/log")" -lt 2 ]; do sleep 0.05; n=$((n + 1)); done
fi

code=0
grep -qsx bad changes/*.txt && code=1
for foe in $(sed -n 's/^against //p' changes/*.txt); do [ -e "changes/$foe.txt" ] && code=1; done
grep -qs '^<<<<<<<\|^>>>>>>>' shared.txt && code=1
grep -qsx 'writes\|commits' changes/*.txt && echo again >> shared.txt
grep -qsx commits changes/*.txt && git -c user.name=check -c user.email=check@furrow.invalid commit --quiet --all --message 'by the check'

if [ -n "$w" ]; then
  grep -qsx leaves changes/*.txt && { setsid sleep 60 < /dev/null > /dev/null 2>&1 & }
  now=$(git rev-parse HEAD 'HEAD^{tree}') || exit 137
  strayed=clean
  { [ "$now" = "$at" ] && git diff --quiet HEAD; } || strayed=strayed
  # The runs of these numbers are red for no reason; of two that end at once, one.
  n=$(grep -c '^end' "$w/log")
  [ "$code" -eq 0 ] && grep -qsx "$n" "$w/flakes" && mkdir "$w/flaked-$n" 2> /dev/null && code=1
  echo "end $tree $code $strayed" >> "$w/log"
fi
exit "$code"
