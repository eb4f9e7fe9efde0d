import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

test('a parameter with one value refuses a list, however it is written; unknown ones are ignored', async () => {
  const api = await fresh(sqlite, { seed: 7 })
  const ask = (query: string) => api.ask('GET', `/api/user/conversations?${query}`)
  for (const query of [
    'type[]=widget',
    'type%5B%5D=widget',
    'type[0]=widget',
    'type[]=',
    'type[x]=widget&type[y]=test',
    'type=widget&type[]=test',
  ])
    expect(await ask(query), query).toMatchObject({
      status: 422,
      body: { errors: { type: [expect.stringMatching(/type/)] } },
    })
  expect(await ask('per_page[]=3')).toMatchObject({
    status: 422,
    body: { errors: { per_page: ['The per page field must be an integer.'] } },
  })
  expect(await ask('color[]=red&_=1&typ[]=widget')).toMatchObject({ status: 200 })
})
