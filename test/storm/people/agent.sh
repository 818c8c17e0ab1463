#!/bin/sh
# An agent for the storm `people`, by the `command` driver. What it does follows from the task's number n; at its first attempt
#   every 4th breaks the check, every 6th is sloppy (only a strict check minds), every 9th gives up;
#   every 5th adds a line to a shared file, where some of them meet; all write a file of their own.
# Each start and end goes into a log that furrow knows nothing of.
set -eu

n=$FURROW_TASK
witness=$FURROW_WITNESS
noted() { echo "$1 $(date +%s%3N) $n $FURROW_ATTEMPT" >>"$witness/agents.log"; }

g() {
  git -c user.name='sh agent' -c user.email=agent@furrow.invalid "$@" 9>&-
}

# Held as long as this agent or a child of it lives: two at once would meet here.
exec 9>>"$witness/task-$n.running"
flock --nonblock 9 || : >"$witness/OVERLAP-$n-$(date +%s%N)"
noted start

# A later attempt begins anew from what the target is now: nothing that a person took out comes along.
if [ "$FURROW_ATTEMPT" != 1 ]; then
  # `show-ref` ends with 128 when there is none yet. One that was killed (137) must not pass for that: the attempt would
  # keep the files of the last one and end without a change of its own.
  target=$(cat "$witness/target")
  head=$(g show-ref --verify --hash "refs/furrow/head/$target" 2>/dev/null) || [ $? -le 128 ]
  [ -z "$head" ] || g reset --quiet --hard "$head"
fi

sleep "$((n % 2)).$((n * 37 % 8 + 1))"
if [ "$FURROW_ATTEMPT" = 1 ] && [ $((n % 9)) = 4 ]; then
  echo "this does not work yet"
  noted end
  exit 3
fi

mkdir -p work shared
{
  echo "made by $FURROW_AGENT"
  if [ "$FURROW_ATTEMPT" = 1 ] && [ $((n % 4)) = 1 ]; then echo bad; else echo good; fi
  if [ "$FURROW_ATTEMPT" = 1 ] && [ $((n % 6)) = 2 ]; then echo sloppy; else echo polished; fi
} >"work/task-$n.txt"
g add -A -- work
g diff --cached --quiet || g commit --quiet --message "task $n: its file"
sleep "0.$((n * 53 % 8 + 1))"
if [ $((n % 5)) = 0 ] && ! grep -qx "task $n" shared/list.txt; then
  echo "task $n" >>shared/list.txt
  g add -A -- shared
  g commit --quiet --message "task $n: the shared list"
fi
noted end
