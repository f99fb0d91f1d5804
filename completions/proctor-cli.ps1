# Completion of proctor-cli in PowerShell. What can be completed, the program itself says.
Register-ArgumentCompleter -Native -CommandName proctor-cli -ScriptBlock {
    param($current, $line, $cursor)
    $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $program = $line.GetCommandName()
    $encoding = [Console]::OutputEncoding
    $status = $global:LASTEXITCODE
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $head, $lines = @(& $program __complete @words ":$current" 2>$null)
    } catch {
        return
    } finally {
        [Console]::OutputEncoding = $encoding
        # The program ends itself; the status of the user's last command stays.
        $global:LASTEXITCODE = $status
    }
    if (-not $head) { return }
    $kind, $from = $head -split ' '
    $kept = $current.Substring(0, $from)
    if ($kind -eq 'files' -or $kind -eq 'folders') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($from)) |
            Where-Object { $kind -eq 'files' -or $_.ResultType -eq 'ProviderContainer' } |
            ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($kept + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        return
    }
    foreach ($each in $lines) {
        $value, $about = $each -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($kept + $value, $value, 'ParameterValue', $about)
    }
}
