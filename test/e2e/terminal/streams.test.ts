import { beforeAll, describe, expect, test } from 'vitest'
import { filledPlace, parley, shell } from '../support/built-program.ts'
import { type Holdings, holdings } from '../support/holdings.ts'

// Pipes, files and no terminal: what a script sees of a list, and that nothing is bought because somebody piped something in.

const at = await filledPlace()
let before: Holdings
beforeAll(() => {
  before = holdings(at)
})

const buy = 'numbers buy +15005550006'

describe('a purchase without a terminal', () => {
  test.each([
    ['an empty line is piped in', `echo | parley ${buy}`, 10],
    ['standard input is closed', `parley ${buy} <&-`, 10],
    ['no number is given', 'yes | parley numbers buy', 2],
    ['a number is to be released', 'yes | parley numbers release 4', 10],
    ['everything is to be forgotten', 'yes | parley server reset', 10],
  ])('%s: asks nothing and buys nothing', async (_, line, code) => {
    const { exitCode, stdout, stderr } = await shell(line, { at })
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).not.toContain('(y/N)')
  })

  test('cannot be confirmed by the environment, only by a flag', async () => {
    expect((await parley(buy, { at, env: { PARLEY_YES: '1', CI: '1' } })).exitCode).toBe(10)
  })

  test('prints its price and the missing flag', async () => {
    const { stderr } = await parley(`${buy} --json`, { at })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'consent',
      message: expect.stringMatching(/is non-refundable/),
      hint: 'Pass --yes to confirm.',
    })
  })

  test('leaves everything unchanged after all of these commands', async () => {
    expect(holdings(at)).toEqual(before)
    expect((await parley('ops list --json', { at })).stdout).toBe('[]\n')
  })
})

test('endless input is refused before memory runs out', async () => {
  const { exitCode, stderr } = await shell('yes | parley tools create --file -', { at })
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/Standard input is larger than 2 MB\.\nhint: /)])
})

describe('output that cannot be written', () => {
  const full = async (line: string) => shell(`parley ${line} >/dev/full`, { at })

  test('on a full device exits with 1 and an error in the selected format', async () => {
    for (const line of ['keys list', 'numbers search', '--help', 'keys list --help', 'completion bash', '--version']) {
      expect(await full(line)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no space left on') })
    }
    expect(JSON.parse((await full('keys list --json')).stderr).error.message).toContain('no space left on')
  })

  test('of a purchase does not undo it: the number is in the account', async () => {
    const own = await filledPlace()
    expect(await shell(`parley ${buy} --yes >/dev/full`, { at: own })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('+15005550006 was bought. The output could not be written: '),
    })
    expect(holdings(own).numbers.filter((it) => it === '+15005550006')).toHaveLength(1)
  })

  test.each(['numbers search', 'numbers search -o ndjson', '--version'])(
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

  test('on stderr does not affect the result', async () => {
    for (const to of ['2>/dev/full', '2>&-']) {
      expect(await shell(`parley keys list -o id --verbose ${to}`, { at })).toMatchObject({
        exitCode: 0,
        stdout: '1\n2\n3\n',
      })
      expect((await shell(`parley tools get nothing ${to}`, { at })).exitCode).toBe(4)
    }
  })
})
