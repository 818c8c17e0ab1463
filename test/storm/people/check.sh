#!/bin/sh
# The check of the storm `people`: green or red by the tree alone. With a number, the files of all tasks from that number on must be polished.
set -eu
strict=${1:-}
sleep "${STORM_CHECK_SECONDS:-0.3}"
if grep -rqx RED notes; then
  echo "a note says RED"
  exit 1
fi
for file in work/task-*.txt; do
  [ -e "$file" ] || continue
  n=${file#work/task-}
  n=${n%.txt}
  grep -qx good "$file" || { echo "$file is not good"; exit 1; }
  if [ -n "$strict" ] && [ "$n" -ge "$strict" ]; then
    grep -qx polished "$file" || { echo "$file is not polished"; exit 1; }
  fi
done
if grep -rq '^<<<<<<<\|^>>>>>>>' work shared; then
  echo "a conflict was committed"
  exit 1
fi
[ -z "$(sort shared/list.txt | uniq -d)" ] || { echo "somebody is listed twice"; exit 1; }
