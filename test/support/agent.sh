#!/bin/sh
# An agent in plain sh for the `command` driver. What it does follows from the task's number n:
#   every 7th fails at its first attempt, every 11th breaks the check at its first attempt,
#   every 5th adds a line to a shared file, where some of them meet; all write a file of their own.
set -eu

n=$(expr "$FURROW_TASK" : '[^0-9]*\([0-9]*\)') && n=$(expr "${n:-0}" + 0) || n=0
name="$FURROW_PHASE-$FURROW_TASK"

g() {
  git -c user.name='sh agent' -c user.email=agent@furrow.invalid -c merge.conflictStyle=merge "$@" 9>&-
}

# The oracle that furrow knows nothing of: a lock that is held as long as this agent, or a child of it, lives.
if [ -n "${FURROW_WITNESS:-}" ]; then
  exec 9>>"$FURROW_WITNESS/$name.running"
  flock --nonblock 9 || : >"$FURROW_WITNESS/OVERLAP-$name-$(date +%s%N)"
fi

commit() {
  g add -A -- work shared
  g diff --cached --quiet && return 0
  g commit --quiet --message "$1"
  noted
}

noted() {
  [ -z "${FURROW_WITNESS:-}" ] || echo "$(g rev-parse HEAD) $FURROW_PHASE/$FURROW_TASK" >>"$FURROW_WITNESS/commits.log"
}

# A later attempt starts from what the target is now, and keeps both sides where they meet.
catch_up() {
  head=$(g for-each-ref --count=1 --format='%(objectname)' refs/furrow/head/)
  [ -n "$head" ] || return 0
  before=$(g rev-parse HEAD)
  if ! g merge --quiet --no-edit "$head"; then
    g diff --name-only --diff-filter=U | while read -r path; do
      sed -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' "$path" >"$path.both" && mv "$path.both" "$path"
    done
    g add -A -- work shared
    g commit --quiet --no-edit
  fi
  [ "$(g rev-parse HEAD)" = "$before" ] || noted
}

echo "task $FURROW_TASK, attempt $FURROW_ATTEMPT, in $(pwd)"
mkdir -p work shared
[ "$FURROW_ATTEMPT" = 1 ] || catch_up

sleep "0.$((n * 37 % 8 + 1))"
echo "made by $FURROW_AGENT" >"work/$name.txt"
commit "$name: first part"

if [ "$FURROW_ATTEMPT" = 1 ] && [ $((n % 7)) = 0 ]; then
  echo "this does not work yet"
  exit 3
fi

verdict=good
[ "$FURROW_ATTEMPT" = 1 ] && [ $((n % 11)) = 0 ] && verdict=bad
echo "$verdict" >>"work/$name.txt"
if [ $((n % 5)) = 0 ]; then
  grep -qx "$name" shared/list.txt 2>/dev/null || echo "$name" >>shared/list.txt
fi
if [ "$FURROW_ATTEMPT" != 1 ]; then
  sed -i '/^bad$/d' "work/$name.txt"
fi
commit "$name: second part"
echo "done with $FURROW_TASK"
