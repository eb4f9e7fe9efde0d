import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const approval = (actionName: string) => ({
  type: 'PIECE',
  displayName: 'Approval',
  settings: { pieceName: '@activepieces/piece-approval', actionName, input: {} },
})
const steps = [
  approval('create_approval_links'),
  http('POST', 'https://a.test/mail', { body_type: 'json', body: { data: '{{step_1}}' } }),
  approval('wait_for_approval'),
  http('POST', 'https://a.test/done', { body_type: 'json', body: { data: { given: '{{step_3}}' } } }),
]

describe.each(databases)('approvals on $name', (database) => {
  const platform = automationPlatform(database, { ownUrl: () => 'https://platform.test' })

  const sent = () => platform.requests.splice(0).map((request) => JSON.parse(request.body))

  /** Starts a run that waits for an approval, and returns its links. */
  async function waiting(
    by: Owner,
  ): Promise<{ readonly approve: string; readonly disapprove: string; readonly run: string }> {
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    const run = (await platform.call(body.automation_id, '', {})).headers['x-webhook-id'] as string
    await platform.wait(1)
    const links = sent().at(-1)
    const path = (link: string) => link.replace('https://platform.test', '')
    return { approve: path(links.approvalLink), disapprove: path(links.disapprovalLink), run }
  }
  const open = async (path: string, method = 'GET') => {
    const { status, body } = await platform.call(path, '', undefined, { method })
    return [status, body === '' ? '' : JSON.parse(body).message]
  }

  test.each([
    ['approve', true],
    ['disapprove', false],
  ] as const)('a link ends the wait of its run once: %s', async (action, approved) => {
    const links = await waiting(await platform.owner())
    expect(await open(links[action], 'HEAD')).toEqual([200, ''])
    expect(sent()).toEqual([])
    expect(await open(links[action])).toEqual([200, 'Your answer was recorded. You can close this page.'])
    await platform.wait(1)
    expect(sent()).toEqual([{ given: { approved } }])
    expect(await open(links.approve)).toEqual([409, expect.stringContaining('already been used')])
    expect(sent()).toEqual([])
  })

  test('who knows the id of a run, but not its link, cannot approve it', async () => {
    const by = await platform.owner()
    const links = await waiting(by)
    const other = await waiting(by)
    const token = new URLSearchParams(other.approve.split('?')[1]).get('token') as string
    for (const query of ['', '?action=approve', `?action=approve&token=${encodeURIComponent(token)}`, '?token=%00'])
      expect(await open(`/automate/api/v1/flow-runs/${links.run}/resume${query}`)).toEqual([410, 'Webhook not found.'])
    expect(sent()).toEqual([])
  })

  test('the address of a step that only waits for a person or a time cannot be guessed from the run', async () => {
    const links = await waiting(await platform.owner())
    const guessed = `/automate/api/v1/flow-runs/${links.run}.step_3`
    expect(await open(`${guessed}?action=approve`, 'POST')).toEqual([410, 'Webhook not found.'])
    await platform.wait(1)
    expect(sent()).toEqual([])
    expect(await open(links.approve)).toEqual([200, expect.stringContaining('recorded')])
  })
})

describe.each(databases)('servers that share a database, on $name', (database) => {
  const leases: (string | null)[] = []
  const platform = automationPlatform(database, {
    ownUrl: () => 'https://platform.test',
    automationPorts: {
      http: {
        async send() {
          const jobs = await platform
            .tables()
            .read.selectFrom('due')
            .select('lease_owner')
            .where('kind', '=', 'automation.run')
            .execute()
          leases.push(...jobs.map((job) => job.lease_owner))
          return { status: 200, headers: {}, body: Buffer.from('{}') }
        },
      },
    },
  })

  test('a run that a request continues is leased to its server, so that no other one continues it too', async () => {
    const ask = {
      ...respond({}),
      settings: { ...respond({}).settings, actionName: 'return_response_and_wait_for_next_webhook' },
    }
    const flow = { trigger: hook, steps: [ask, http('POST', 'https://a.test/')] }
    const { body } = await platform.create(await platform.owner(), { flow, confirm_side_effects: true })
    const { headers } = await platform.call(body.automation_id, '/sync', {})
    leases.length = 0
    await platform.call(new URL(headers['x-engine-resume-webhook-url'] ?? '').pathname, '', {})
    await expect.poll(() => leases).toEqual([expect.any(String)])
  })
})
