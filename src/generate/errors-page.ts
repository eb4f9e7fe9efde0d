import type { FailureKind } from '../contract/errors/exit-codes.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import { type FailureName, failures } from '../contract/errors/failures.ts'
import { errorExample, exampleResponse } from './error-examples.ts'

const kinds = failures as Readonly<Record<FailureName, FailureKind>>

const titles: Readonly<Record<string, string>> = {
  '': 'Any endpoint',
  accounts: 'Local platform: accounts',
  faults: 'Local platform: fault rules',
  platform: 'Local platform: data',
  deliveries: 'Local platform: deliveries',
  nodes: 'Local platform: servers',
  webhooks: 'Local platform: webhooks',
  clock: 'Local platform: clock',
  simulate: 'Local platform: simulations',
  snapshots: 'Local platform: snapshots',
  connections: 'Local platform: connections',
  sipTrunks: 'SIP trunks',
  sms: 'SMS',
  automate: 'Automations',
}

const titleOf = (resource: string): string =>
  titles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
/** Returns code for a table cell, with escaped bars. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

function lineOf(name: FailureName): string {
  const { status, body } = exampleResponse(name)
  const { line, before = [] } = errorExample(name)
  const lines = [...before, line].map((it) => code(`parley ${it}`)).join('<br>')
  const { exit } = kinds[name]
  return `| \`${name}\` | ${status} | ${code(JSON.stringify(body))} | ${exitCodes[exit].code} ${exit} | ${lines} |`
}

/**
 * Returns the page of all errors, grouped by resource: status, body, exit code and commands that raise it. errors-page.test.ts
 * runs the commands.
 */
export function errorsPage(): string {
  const groups = new Map<string, FailureName[]>()
  for (const name of Object.keys(failures) as FailureName[]) {
    const resource = name.includes('.') ? name.slice(0, name.indexOf('.')) : ''
    groups.set(resource, [...(groups.get(resource) ?? []), name])
  }
  const parts = [...groups].map(
    ([resource, names]) =>
      `## ${titleOf(resource)}\n\n| Error | Status | Body | Exit | How to raise it |\n|---|---|---|---|---|\n${names.map(lineOf).join('\n')}\n`,
  )
  return `# Errors

Generated from the error catalogue by \`npm run generate\`.

Errors that Parley itself reports have their own \`error.code\`, such as \`undo_unavailable\` (see [operations](operations.md#when-an-undo-cannot-be-saved)) and \`usage\`. This page lists
every error of the platform: its status and body, the exit code of the command that receives it, and commands that raise it on a platform with fresh sample data
(\`parley server reset --seed 7\`). \`test/docs/errors-page.test.ts\` runs every row of this page, in a test named after the error, and compares status, body and
exit code.

Some errors need only the right input: an id that does not exist, a [test number](local-platform.md#test-numbers), or a part of the sample data. The others need a
[fault rule](local-platform.md#fault-rules): \`parley server faults create <endpoint> --error <name>\` raises any error on any endpoint, with the word \`fault\` in place of details. A rule stays until it is
exhausted or removed: \`parley server faults list\`, \`parley server faults clear\`.

${parts.join('\n')}`
}
