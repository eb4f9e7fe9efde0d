# Completion of parley for PowerShell. Add it to your profile: parley completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName parley -ScriptBlock {
  param($current, $line, $cursor)
  $PSNativeCommandArgumentPassing = 'Legacy'
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  if ($current) { $words += $current } else { $words += '""' }
  parley __complete '--' @words 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    if ($value) { [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text) }
  }
}
