import { describe, expect, test } from 'vitest'
import { createApprovals } from '../../../../src/cli/program/approvals/approval-access.ts'
import { command } from '../../../../src/cli/program/commandline/command.ts'
import type { Settings } from '../../../../src/cli/program/configuration/settings.ts'
import type { Context } from '../../../../src/cli/program/context.ts'
import type { Access, System } from '../../../../src/cli/program/system.ts'
import { controlEndpoints } from '../../../../src/contract/control/index.ts'
import { approvalClass } from '../../../../src/contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'

const all: readonly Endpoint[] = [...endpoints, ...controlEndpoints]
const unused = (): Context => {
  throw new Error('The context is not needed.')
}

/** Returns whether the commands of another program may send a request, on a platform whose profile requires no approvals. */
async function maySend(endpoint: Endpoint, access: Access): Promise<boolean> {
  const { gate } = createApprovals(unused, {
    system: { access, env: { AI_AGENT: 'client over MCP' } } as unknown as System,
    command: command({ endpoint, examples: [], run: async () => {} }),
    origin: { words: [], readInput: () => '' },
  })
  const settings = { profile: { approvals: 'off' }, baseUrl: { value: 'embedded:' } } as Settings
  const request = { endpoint, input: {}, request: { method: endpoint.method, url: '/', headers: {} } }
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
