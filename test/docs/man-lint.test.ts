import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { filesIn, root } from '../support/sources.ts'

const pages = filesIn('man')

/** What a program reports about the pages; nothing where it is not installed. */
function reportOf(program: string, args: readonly string[]): string[] | undefined {
  const { error, stdout, stderr } = spawnSync(program, [...args, ...pages], { cwd: root, encoding: 'utf8' })
  if (error) return undefined
  return `${stdout}${stderr}`.split('\n').filter((it) => it !== '')
}

describe('programs that check man pages find no problems, if they are installed', () => {
  const groff = reportOf('groff', ['-man', '-ww', '-z'])
  const mandoc = reportOf('mandoc', ['-T', 'lint'])

  test.skipIf(groff === undefined)('groff with all warnings', () => {
    expect(groff).toEqual([])
  })

  // A date would change the pages with every release, and a long example is one line on purpose.
  test.skipIf(mandoc === undefined)('mandoc', () => {
    expect(mandoc?.filter((it) => !/missing date|longer than 80 bytes/.test(it))).toEqual([])
  })
})
