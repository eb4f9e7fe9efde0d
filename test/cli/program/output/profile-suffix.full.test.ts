import { describe, expect, test } from 'vitest'
import { remoteExamples } from '../../reference/help/run-examples.ts'

// Every write of the command tree, as its help shows it, on a remote profile. What it prints for people names the profile
// at the end of a line; what programs read does not.

const named = /(^|\n)[^\n]*\S \[staging\](\n|$)/

describe('a write with a remote profile names it at the end of a sentence, and never in output for programs', () => {
  const written = new Set<string>()
  for (const { line, run } of remoteExamples.filter((it) => !it.reads))
    test(`parley ${line}`, async () => {
      const { exitCode, stdout, stderr, requests, isForPrograms } = await run('staging', 'environment')
      const writes = requests.filter((it) => !it.startsWith('GET'))
      if (exitCode !== 0 || writes.length === 0) return
      written.add(line)
      if (isForPrograms) expect(stdout).not.toContain('[staging]')
      else expect(`${stdout}\n${stderr}`).toMatch(named)
    })

  test('as most of them do', () => expect(written.size).toBeGreaterThan(120))
})
