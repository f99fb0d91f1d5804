/** Completion in zsh: as a file in $fpath or as lines of ~/.zshrc. */
import { script } from './script.ts';

export const zsh = script`#compdef proctor-cli
# Completion of proctor-cli in zsh. What can be completed, the program itself says.
_proctor-cli() {
  local -a answer shown suffix
  local line kind
  # What was typed need not be in the PATH; for an alias or a variable, the one in the PATH answers.
  local program=\${\${(Q)words[1]}/#\~\//$HOME/}
  whence -p -- $program >/dev/null || program=proctor-cli
  answer=("\${(@f)$(command $program __complete "\${(@Q)words[2,CURRENT-1]}" ":\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  [[ -n $answer[1] ]] || return 1
  kind=\${answer[1]% *}
  compset -p \${answer[1]#* }
  shift answer
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    # Found by a part of its name: it takes the place of what was typed.
    found) compadd -U -- "\${answer[1]%%$'\t'*}" ;;
    words|open)
      [[ $kind = open ]] && suffix=(-S '')
      if [[ -z \${(M)answer:#*$'\t'?*} ]]; then
        compadd -V proctor-cli "\${(@)suffix}" -- "\${(@)answer%$'\t'}"
      else
        for line in "\${(@)answer}"; do
          shown+=("\${\${line%%$'\t'*}//:/\\:}:\${\${line#*$'\t'}//\\/\\\\}")
        done
        _describe -V proctor-cli shown "\${(@)suffix}"
      fi
      ;;
  esac
}
if [[ $funcstack[1] = _proctor-cli ]]; then
  _proctor-cli "$@"
else
  (($+functions[compdef])) || { autoload -Uz compinit && compinit -i; }
  compdef _proctor-cli proctor-cli
fi
`;
