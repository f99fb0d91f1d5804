/** Completion in fish 3 and later. */
import { script } from './script.ts';

export const fish = script`# Completion of proctor-cli in fish. What can be completed, the program itself says.
function __proctor_cli_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string unescape; or commandline -ct)
    # What was typed need not be in the PATH; for an alias or a variable, the one in the PATH answers.
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    command --query $program; or set program proctor-cli
    command --query $program; or return
    set -l answer (command $program __complete $words[2..] ":$current" 2>/dev/null </dev/null)
    test -n "$answer"; or return
    set -l head (string split ' ' -- $answer[1])
    set -l kept (string sub --length $head[2] -- $current)
    set -l rest (string sub --start (math $head[2] + 1) -- $current)
    switch $head[1]
        case files
            string join -- \n "$kept"(__fish_complete_path $rest)
        case folders
            string join -- \n "$kept"(__fish_complete_directories $rest)
        case '*'
            string join -- \n "$kept"$answer[2..]
    end
end
complete --command proctor-cli --no-files --keep-order --arguments '(__proctor_cli_complete)'
`;
