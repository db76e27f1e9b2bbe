# complete.zsh FOLDER LINE: prints the menu of completions that zsh shows after LINE, with the completions in FOLDER.
zmodload zsh/zpty
zpty asked zsh -f -i
send() { zpty -w asked "$1"; }
send "PS1= PROMPT_EOL_MARK=; stty -echo cols 200; bindkey -e; LISTMAX=1000; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; zstyle ':completion:*' list-colors; unsetopt auto_menu list_ambiguous list_beep; print -r -- rea''dy"
zpty -r asked said '*ready*'
zpty -w -n asked "$2"$'\t\t'
sleep 1
seen=
while zpty -rt asked said; do seen+=$said; done
zpty -d asked
print -r -- "$seen" | sed $'s/\e\\[[0-9;?]*[a-zA-Z]//g'
