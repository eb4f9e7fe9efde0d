import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { filledPlace, parley, shell } from '../support/built-program.ts'
import { type Holdings, holdings } from '../support/holdings.ts'

// More of what streams.test.ts has one of each of.

const at = await filledPlace()
let before: Holdings
beforeAll(() => {
  before = holdings(at)
})

const buy = 'numbers buy +15005550006'

describe('a purchase without a terminal', () => {
  test.each([
    ['somebody says yes without end', `yes | parley ${buy}`, 10],
    ['somebody says y once', `echo y | parley ${buy}`, 10],
    ['there is no input', `parley ${buy} </dev/null`, 10],
    ['standard output is closed', `parley ${buy} >&- </dev/null`, 10],
    ['everything is closed', `parley ${buy} <&- >&- 2>&-`, 10],
    ['questions are switched off', `parley ${buy} --no-input`, 10],
    ['the result is to be JSON', `yes | parley ${buy} --json`, 10],
    ['a price is all that is given', 'yes | parley numbers buy --max-price 50', 10],
    ['a key is to be deleted', 'yes | parley keys delete ci', 10],
  ])('%s: asks nothing and buys nothing', async (_, line, code) => {
    const { exitCode, stdout, stderr } = await shell(line, { at })
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).not.toContain('(y/N)')
  })

  test('leaves everything unchanged after all of these commands', async () => {
    expect(holdings(at)).toEqual(before)
    expect((await parley('ops list --json', { at })).stdout).toBe('[]\n')
  })
})

describe('output that cannot be written', () => {
  test.each(['numbers search --json', 'keys list --help', '--help', 'completion bash', '__complete -- ""'])(
    'a reader that stops early is not an error: %s | head -1',
    async (line) => {
      for (const reader of ['head -1', 'true']) {
        const { exitCode, stderr } = await shell(
          `parley ${line} 2>err | ${reader} >/dev/null; code=\${PIPESTATUS[0]}; cat err >&2; exit $code`,
          { at },
        )
        expect({ exitCode, stderr: stderr.replace(/.*Buy one: .*\n/, '') }).toEqual({ exitCode: 0, stderr: '' })
      }
    },
  )
})

test.skipIf(!existsSync('/dev/full'))('of help and version is reported', async () => {
  for (const line of ['--help', 'numbers --help', 'numbers buy --help', '--version', 'help numbers', '']) {
    const { exitCode, stderr } = await shell(`parley ${line} >/dev/full`, { at })
    expect({ line, exitCode, stderr }).toEqual({
      line,
      exitCode: 1,
      stderr: expect.stringMatching(
        /^(error: Cannot write the output|parley could not write its output): .*ENOSPC.*\n$/,
      ),
    })
  }
})
