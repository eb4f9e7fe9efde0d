import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

test.each([
  ['numbers', 'phone_number'],
  ['leads', 'phone_number'],
  ['keys', 'name'],
])('%s get finds one by its id and by its %s, as the list shows it', async (noun, field) => {
  const { json } = operator()
  const listed = (await json(`${noun} list --limit 50`)).at(-1)
  expect(await json(`${noun} get ${listed.id}`)).toEqual(listed)
  expect((await json(`${noun} get ${listed[field]}`))[field]).toBe(listed[field])
})

test.each(['numbers', 'leads', 'keys'])('%s get names the command that lists them when there is none', async (noun) => {
  expect(await operator().run(`${noun} get 999999`)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining(`parley ${noun} list`),
  })
})
