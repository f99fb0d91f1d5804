# Completion of proctor-cli in bash 4 and later. What can be completed, the program itself says.
_proctor_cli() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() index part
    # bash divides words at = and : as well; what stands together in the line belongs together.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        part=${rest%%[! ]*}
        if [[ $index = 0 || -n $part ]]; then words+=(''); fi
        rest=${rest#"$part"}
        part=${COMP_WORDS[index]}
        if [[ $index = "$COMP_CWORD" ]]; then part=$rest; fi
        rest=${rest#"$part"}
        words[${#words[@]} - 1]+=$part
    done
    words=("${words[@]//[\"\'\\]/}")
    local last=$((${#words[@]} - 1)) answer kind from
    local current=${words[last]}
    # What was typed need not be in the PATH; for an alias or a variable, the one in the PATH answers.
    local program=${1/#~\//$HOME/}
    type -P "$program" >/dev/null || program=proctor-cli
    mapfile -t answer < <("$program" __complete "${words[@]:1:last-1}" ":$current" 2>/dev/null </dev/null)
    ((${#answer[@]})) || return
    kind=${answer[0]% *} from=${answer[0]#* }
    case $kind in
        # Readline takes what follows an @ for the name of a machine.
        files) if [[ $2 = @* ]]; then compopt -o filenames; else compopt -o default; fi ;;
        folders) compopt -o dirnames ;;
        open) compopt -o nospace ;;
    esac
    compopt -o nosort 2>/dev/null
    if [[ $kind = files && $2 = @* ]]; then mapfile -t -O 1 answer < <(compgen -f -- "${current:from}"); fi
    # Readline puts a word into the place of $2 and keeps what stands before it.
    local kept=${current:0:${from:-0}} before=${current%"$2"} line word about=() width=0
    COMPREPLY=()
    for line in "${answer[@]:1}"; do
        word=${line%%$'\t'*}
        if [[ $kept$word = "$before"* ]]; then
            about+=("${line:${#word} + 1}")
            word=$kept$word
            word=${word#"$before"}
            COMPREPLY+=("$word")
            if ((${#word} > width)); then width=${#word}; fi
        fi
    done
    # What each one is, where a list is shown and nothing put into the line but what all have in common.
    if [[ $COMP_TYPE = 63 || $COMP_TYPE = 33 || $COMP_TYPE = 64 ]] && ((${#COMPREPLY[@]} > 1)); then
        for index in "${!COMPREPLY[@]}"; do
            if [[ -n ${about[index]} ]]; then
                printf -v line '%-*s  %s' "$width" "${COMPREPLY[index]}" "${about[index]}"
                COMPREPLY[index]=${line:0:${COLUMNS:-80} - 1}
            fi
        done
    fi
}
complete -F _proctor_cli proctor-cli
