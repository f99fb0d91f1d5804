# What only PowerShell can show, by the release's workflow: the installed program, on the embedded service. Ends with 1 where a promise breaks.
$ErrorActionPreference = 'Continue'
$env:PROCTOR_PROFILE = 'sandbox'
Set-Location (New-Item -ItemType Directory -Path (Join-Path ([IO.Path]::GetTempPath()) ([guid]::NewGuid())))
$failed = 0
function Promise($what, $holds) {
    if ($holds) { "ok      $what" } else { "FAILED  $what"; $script:failed += 1 }
}

proctor-cli sessions export --exam 2 --to roster.csv
proctor-cli sessions import roster.csv --exam 2 --check
Promise 'a list that --to writes is read as it was written' ($LASTEXITCODE -eq 0)

Set-Content 'get token.cmd' '@echo a-token-of-the-tests'
$env:PROCTOR_PROFILE = ''
$env:PROCTOR_BASE_URL = 'https://proctor.invalid'
$env:PROCTOR_TOKEN_COMMAND = 'cmd /c "get token.cmd"'
Promise 'a token command that is a .cmd runs by cmd' ((proctor-cli auth token) -eq 'a-token-of-the-tests')
$env:PROCTOR_TOKEN_COMMAND = ''
'a-token-of-the-tests' > token.txt
$env:PROCTOR_TOKEN_FILE = 'token.txt'
Promise 'a token file that > wrote is read' ((proctor-cli auth token) -eq 'a-token-of-the-tests')
$env:PROCTOR_TOKEN_FILE = ''

$env:PROCTOR_PROFILE = 'sandbox'
proctor-cli exams report 1 --html page.html
$held = [IO.File]::Open((Resolve-Path page.html), 'Open', 'Read', 'Read')
$said = (proctor-cli exams report 1 --html page.html --force 2>&1) -join ' '
Promise 'a page that is open elsewhere is refused' ($LASTEXITCODE -ne 0 -and $said -match 'open in another program')
$held.Close()

$env:PROCTOR_STATE_DIR = 'relative'
$said = (proctor-cli runs list 2>&1) -join ' '
if ($said -match '\$env:PROCTOR_STATE_DIR = \S+') { Invoke-Expression $Matches[0] }
Promise 'a hint that sets a variable is a line of this shell' ($env:PROCTOR_STATE_DIR -eq '~/proctor')
$env:PROCTOR_STATE_DIR = ''

proctor-cli completion powershell | Out-String | Invoke-Expression
proctor-cli exams list --no-such-option 2>$null
$status = $LASTEXITCODE
$found = (TabExpansion2 'proctor-cli exams upd' 21).CompletionMatches.CompletionText
Promise 'Tab completes, and leaves the status of the last command' ($found -contains 'update' -and $LASTEXITCODE -eq $status)
exit $failed
