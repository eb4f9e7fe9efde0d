import type { Operator } from './operator.ts'

/** Calls the webhook of an automation of the local platform, and returns the id of the live run that it started. */
export async function callWebhook(by: Operator, automation: string, body: object, suffix = '/sync'): Promise<string> {
  let run = ''
  await by.run('automate list', {
    through: async (handle, request) => {
      if (run !== '') return handle(request)
      const { headers } = await handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${automation}${suffix}`,
        headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      run = headers['x-webhook-id'] as string
      return handle(request)
    },
  })
  return run
}
