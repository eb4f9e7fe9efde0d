import { describe, expect, test } from 'vitest'
import { createApprovals } from '../../../../src/cli/program/approvals/approval-access.ts'
import { command } from '../../../../src/cli/program/commandline/command.ts'
import type { Settings } from '../../../../src/cli/program/configuration/settings.ts'
import type { Context } from '../../../../src/cli/program/context.ts'
import { ClientFailure } from '../../../../src/client/failures/client-failure.ts'
import '../../../../src/cli/resources.ts'
import type { Access, System } from '../../../../src/cli/program/system.ts'
import { controlEndpoints } from '../../../../src/contract/control/index.ts'
import { approvalClass } from '../../../../src/contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'

const all: readonly Endpoint[] = [...endpoints, ...controlEndpoints]
/** A platform that cannot be read, so that what may be live counts as live. */
const unreadable = (): Context => {
  const refuse = async (): Promise<never> => {
    throw new ClientFailure({ exit: 'auth', code: 'auth', message: 'This key is restricted.', status: 403 })
  }
  return { call: Object.assign(refuse, { raw: refuse }), system: { signal: new AbortController().signal } } as never
}

/** Returns whether the commands of another program may send a request, on a platform whose profile requires no approvals. */
async function maySend(endpoint: Endpoint, access: Access): Promise<boolean> {
  const { gate } = createApprovals(unreadable, {
    system: { access, env: { AI_AGENT: 'client over MCP' } } as unknown as System,
    command: command({ endpoint, examples: [], run: async () => {} }),
    origin: { words: [], readInput: () => '' },
  })
  const settings = { profile: { approvals: 'off' }, baseUrl: { value: 'embedded:' } } as Settings
  const request = {
    endpoint,
    input: { id: 1, assistant_id: 1, campaign_id: 1 },
    request: { method: endpoint.method, url: '/', headers: {} },
  }
  return gate(
    settings,
    'embedded:',
  )(request).then(
    () => true,
    (error: Error & { exit?: string }) => {
      expect(error.exit, error.message).toBe('consent')
      return false
    },
  )
}

describe.each(all.map((endpoint) => ({ name: endpoint.name, risk: endpoint.risk, endpoint })))(
  '$name ($risk)',
  ({ endpoint }) => {
    const needed = approvalClass(endpoint, {})

    test('is sent by a program that may read, exactly if it only reads', async () => {
      expect(await maySend(endpoint, 'read')).toBe(endpoint.risk === 'read' && needed === 'none')
    })

    test('is sent by a program that may write, exactly if it needs no person', async () => {
      expect(await maySend(endpoint, 'write')).toBe(needed === 'none')
    })
  },
)
