import { expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../../src/platform.ts'

const flow = {
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  },
  steps: [
    {
      type: 'PIECE',
      settings: {
        pieceName: '@engine/piece-webhook',
        actionName: 'return_response',
        input: { responseType: 'json', fields: { status: 200, body: { host: "{{trigger['headers']['host']}}" } } },
      },
    },
  ],
}

/** Returns the texts of responses that contain URLs. */
async function responses(publicUrl: string | undefined): Promise<readonly string[]> {
  const platform = await startPlatform({
    seed: 7,
    clock: '2027-03-01T09:00:00Z',
    ...(publicUrl !== undefined && { publicUrl }),
  })
  onTestFinished(() => platform.close())
  const text = async (path: string, body?: object): Promise<string> => {
    const init = body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return (await platform.fetch(path, init)).text()
  }
  const built = await text('/api/user/automate/flows', { name: 'Echo', flow })
  const { automation_id } = JSON.parse(built) as { automation_id: string }
  return [
    await text('/api/user/leads?per_page=2'),
    await text('/api/user/conversations'),
    built,
    await text(`/automate/api/v1/webhooks/${automation_id}/sync`, {}),
  ]
}

test('with a public URL, responses are the same on every port, byte for byte', async () => {
  const [first, second] = [
    await responses('https://parley.test/api-mock/'),
    await responses('https://parley.test/api-mock/'),
  ]
  expect(second).toEqual(first)
  const [leads, , built, echo] = first as [string, string, string, string]
  expect(JSON.parse(leads)).toMatchObject({
    first_page_url: 'https://parley.test/api-mock/api/user/leads?per_page=2&page=1',
  })
  expect(JSON.parse(built).webhook_url).toMatch(
    /^https:\/\/parley\.test\/api-mock\/automate\/api\/v1\/webhooks\/\w{21}$/,
  )
  expect(JSON.parse(echo)).toEqual({ host: 'parley.test' })
})

test('without one, they have the address of the request', async () => {
  const [leads = ''] = await responses(undefined)
  expect(JSON.parse(leads).first_page_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/user\/leads/)
})
