# Completion of parley for PowerShell. Add it to your profile: parley completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName parley -ScriptBlock {
  param($current, $line, $cursor)
  $PSNativeCommandArgumentPassing = 'Legacy'
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  $current = "$current".TrimStart("'", '"')
  if ($current) { $words += $current } else { $words += '""' }
  parley __complete --names '--' @words 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    if ($value) {
      $inserted = if ($value -match '[^\w@%+=:,./-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
      [System.Management.Automation.CompletionResult]::new($inserted, $value, 'ParameterValue', $text)
    }
  }
}
