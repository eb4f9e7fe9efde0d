import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { routes } from '../../src/generated/routes.ts'
import { createRouter } from '../../src/platform/server/http/router.ts'

const findRoute = createRouter(routes)

/**
 * Commands that call a billable endpoint and cost the user nothing: two stop campaigns, two continue what was stopped, one asks for the response to an
 * earlier request, and two use a temporary account or platform that is deleted afterwards. Two spend at most what a person
 * has approved.
 */
const free: ReadonlySet<string> = new Set([
  'campaigns stop',
  'stop',
  'resume',
  'history undo',
  'ops reconcile',
  'ops run',
  'mcp',
  'doctor',
  'demo',
])

/** Returns whether a request, `POST /api/user/sms`, is of a billable endpoint. */
function isBillable(request: string): boolean {
  const [method = '', url = ''] = request.split(' ')
  const match = findRoute(method, url.split('?')[0] ?? '')
  const name = 'resource' in match ? `${match.resource}.${match.verb}` : undefined
  return endpoints.some((it) => it.name === name && it.risk === 'spends')
}

/** Checks that a command that sent a billable request has the flag `--budget`. @throws Error otherwise */
export async function expectBudgetFlag(argv: readonly string[], requests: readonly string[]): Promise<void> {
  const request = requests.find(isBillable)
  if (request === undefined) return
  const { node, path } = findCommand(argv)
  const words = path.join(' ')
  if (!node?.load || free.has(words)) return
  if (!(await node.load()).flags?.some(({ flags }) => flags.startsWith('--budget ')))
    throw new Error(`parley ${words} spends (${request}) and has no --budget`)
}
