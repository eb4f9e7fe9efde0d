import { expect, test } from 'vitest'
import { altered, at, type Body, withheld } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const magic = '+15005550006'

test('a price that changed between the quote and the purchase is read back, and exits with 20', async () => {
  const by = operator()
  const { through } = altered({
    [at.numbers]: (body: Body) => {
      for (const number of body.data) if (number.phone_number === magic) number.price = 2
    },
  })
  const higherPrice = await by.run(`numbers buy ${magic} --max-price 1.5 --yes`, { through })
  expect(higherPrice).toMatchObject({
    exitCode: 20,
    stdout: expect.stringContaining(`${magic}, 2.00 USD/month. Id: `),
    stderr: expect.stringMatching(
      /The price changed during the purchase: \+15005550006 costs 2\.00 USD\/month, not 1\.15 USD\/month\. To end it: parley numbers release \d+/,
    ),
  })
  const other = operator()
  const unread = await other.run(`numbers buy ${magic} --max-price 1.5 --yes`, withheld(503, at.numbers))
  expect(unread).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1.15 USD/month') })
})

test('a number that was bought without a quote has the price that was read back in the journal', async () => {
  const by = operator()
  expect(await by.run(`numbers buy ${magic} --yes`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1.15 USD/month'),
  })
  expect(await by.json('ops list')).toMatchObject([{ endpoint: 'numbers.buy', state: 'done', amount_usd: 1.15 }])
})
