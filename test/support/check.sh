#!/bin/sh
# The check of the storms: every finished file says so, nothing is half merged, nobody is listed twice.
set -eu
mkdir -p work shared
for file in work/*.txt; do
  [ -e "$file" ] || continue
  grep -qx bad "$file" && { echo "$file is bad"; exit 1; }
  grep -qx good "$file" || { echo "$file is not finished"; exit 1; }
done
if grep -rq '^<<<<<<<\|^>>>>>>>' work shared; then
  echo "a conflict was committed"
  exit 1
fi
[ ! -e shared/list.txt ] || [ -z "$(sort shared/list.txt | uniq -d)" ] || { echo "somebody is listed twice"; exit 1; }
