import { type FailureKind, type FailureName, failures } from '../contract/errors.ts'
import { exits } from '../contract/exits.ts'
import { raised, raising } from './raising.ts'

const kinds = failures as Readonly<Record<FailureName, FailureKind>>

const titles: Readonly<Record<string, string>> = {
  '': 'Any endpoint',
  accounts: 'A platform of your own: accounts',
  faults: 'A platform of your own: faults',
  platform: 'A platform of your own: its data',
  sipTrunks: 'SIP trunks',
  sms: 'SMS',
  automate: 'Automations',
}

const titleOf = (resource: string): string => titles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
/** A cell that a bar or a line end inside does not break. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

function lineOf(name: FailureName): string {
  const { status, body } = raised(name)
  const { line, after = [] } = raising(name)
  const lines = [...after, line].map((it) => code(`parley ${it}`)).join('<br>')
  const { exit } = kinds[name]
  return `| \`${name}\` | ${status} | ${code(JSON.stringify(body))} | ${exits[exit].code} ${exit} | ${lines} |`
}

/** The page of every error: what stands on the wire, the exit code, and how it is raised. */
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

Made of the catalogue of errors by \`npm run generate\`.

Every way the platform refuses: what stands on the wire, the exit code of the command that meets it, and commands that raise it on a platform
freshly seeded (\`parley server reset --seed 7\`). \`test/cli/errors-raised.test.ts\` runs every line of this page, in a test named after the error, and
compares status, body and exit code.

An error is raised by itself (an id nobody has, a number or a recipient that exists for it, a part of the seeded world), or by a fault:
\`parley server faults create <endpoint> --error <name>\` raises any of them on any endpoint. Faults stay until they are spent or removed:
\`parley server faults list\`, \`parley server faults clear\`.

${parts.join('\n')}`
}
