import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { keys, type Step } from '../support/terminal.ts'
import { newPlace, type Place, parley } from './support/built-program.ts'
import { listedNumbers } from './support/holdings.ts'
import { atTerminal } from './support/program-terminal.ts'
import { relay } from './support/relay.ts'
import { numbersForSale, type Served, serve } from './support/server-process.ts'

// A person answers at a real terminal while a proxy changes the price: what is sent is what was agreed to.

let server: Served
let forSale: string[]
beforeAll(async () => {
  server = await serve(newPlace())
  forSale = await numbersForSale(server.at)
})

const yes = `y${keys.enter}`
const no = keys.enter
const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** An operator with the profile "staging", whose platform shows other prices once `rise` is called. */
async function staging(flags = '') {
  let factor = 1
  const posts: string[] = []
  const scaled = (value: unknown): unknown =>
    typeof value === 'number'
      ? Math.round(value * factor * 1000) / 1000
      : Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, scaled(inner)]))
  const url = await relay(server.url, {
    before({ method, url: path }) {
      if (method !== 'GET') posts.push(`${method} ${path}`)
      return undefined
    },
    alter({ url: path = '' }, answer) {
      if (factor === 1 || !/\/(search|billing\/summary)/.test(path)) return answer
      const body = JSON.parse(answer.text)
      if (path.includes('/search')) for (const number of body.data) number.price = scaled(number.price)
      else body.data.prices = scaled(body.data.prices)
      return { ...answer, text: JSON.stringify(body) }
    },
  })
  const at: Place = newPlace()
  const env = { PARLEY_API_KEY: server.key }
  const set = await parley(`profile set staging --url ${url} ${flags}`.trim(), { at })
  expect(set.exitCode, set.stderr).toBe(0)
  return {
    at,
    posts,
    rise: (): void => void (factor = 2),
    run: (line: string, steps: readonly Step[]) =>
      atTerminal(`${line} --profile staging`, steps, { at, env, columns: 300 }),
    label: `[staging · ${url}] `,
  }
}

test('an unchanged price is bought with one request', async () => {
  const { run, posts, label } = await staging()
  const number = forSale.shift() as string
  const { exitCode, screen } = await run(`numbers buy ${number}`, [['(y/N)', yes]])
  expect(exitCode, screen).toBe(0)
  expect(unfolded(screen)).toContain(`${label}Buy ${number} for`)
  expect(unfolded(screen)).toMatch(/USD\/month\. Id: \d+ \[staging\]/)
  expect(posts).toEqual(['POST /api/user/phone-numbers/purchase'])
  expect(await listedNumbers(server.at)).toContain(number)
})

test('a number whose price rises below --max-price is asked about again, and No buys nothing', async () => {
  const { run, posts, rise } = await staging()
  const [number] = forSale as [string]
  const { exitCode, screen } = await run(`numbers buy ${number} --max-price 5`, [
    ['(y/N)', rise],
    ['', yes],
    [`The price of ${number} changed from`],
    ['(y/N)', no],
  ])
  expect([exitCode, posts], screen).toEqual([10, []])
  expect(await listedNumbers(server.at)).not.toContain(number)
})

test('and Yes buys once', async () => {
  const { run, posts, rise } = await staging()
  const number = forSale.shift() as string
  const { exitCode, screen } = await run(`numbers buy ${number} --max-price 5`, [
    ['(y/N)', rise],
    ['', yes],
    [`The price of ${number} changed from`],
    ['(y/N)', yes],
  ])
  // The proxy shows twice the price that is charged, which is reported.
  expect([exitCode, posts], screen).toEqual([20, ['POST /api/user/phone-numbers/purchase']])
})

test.each(['--max-price 2', '--budget 2'])(
  'a number whose price rises above %s is exit 5 and not bought',
  async (flag) => {
    const { run, posts, rise } = await staging()
    const [number] = forSale as [string]
    const { exitCode, screen } = await run(`numbers buy ${number} ${flag}`, [
      ['(y/N)', rise],
      ['', yes],
    ])
    expect([exitCode, posts], screen).toEqual([5, []])
    expect(await listedNumbers(server.at)).not.toContain(number)
  },
)

test.each([
  ['calls start +14155550142 --assistant 2', '0.10 USD per minute', '0.20 USD per minute'],
  ['campaigns start 2', '0.008 USD per message', '0.016 USD per message'],
  ['messaging send --sender 1 --template opening_hours --file people.csv', 'Cost: 0.016 USD', 'Cost: 0.032 USD'],
])('%s is asked about again when its price rises, and No sends nothing', async (line, before, after) => {
  const { run, posts, rise, at } = await staging()
  writeFileSync(join(at.dir, 'people.csv'), 'phone\n+14155551000\n+14155551001\n')
  const { exitCode, screen } = await run(line, [
    [before],
    ['(y/N)', rise],
    ['', yes],
    ['The price changed from'],
    [after],
    ['(y/N)', no],
  ])
  expect([exitCode, posts], screen).toEqual([10, []])
})

test('a file that is replaced while its question is open is checked and asked about again', async () => {
  const { run, posts, at } = await staging()
  const file = join(at.dir, 'people.csv')
  writeFileSync(file, 'phone\n+14155551100\n')
  const { exitCode, screen } = await run('messaging send --sender 1 --template opening_hours --file people.csv', [
    ['Send 1 message', () => writeFileSync(file, 'phone\n+14155551100\n+14155551101\n+14155551102\n')],
    ['(y/N)', yes],
    ['changed while the question was open'],
    ['Send 3 messages'],
    ['(y/N)', no],
  ])
  expect([exitCode, posts], screen).toEqual([10, []])
})

test('a single SMS is asked about from confirm_above on, and again when its price rises', async () => {
  const { run, posts, rise } = await staging('--confirm-above 0.01')
  const { exitCode, screen } = await run('sms send --from 4 --to +14155550142 --body Hello', [
    ['Cost: 0.01 USD. Send this to +14155550142? (y/N)', rise],
    ['', yes],
    ['The price changed from 0.01 USD to 0.02 USD.'],
    ['(y/N)', no],
  ])
  expect([exitCode, posts], screen).toEqual([10, []])
})
