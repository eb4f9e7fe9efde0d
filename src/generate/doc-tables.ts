import { environmentVariables } from '../cli/reference/help/environment-variables.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import { capabilities, endpoints } from '../contract/resources/index.ts'
import { firstSampleSender, sampleRefusals } from '../platform/control/sample-data/sample-account.ts'
import {
  refusedSmsRecipient,
  refusingSipAddress,
  testCallees,
  testMessages,
  testNumbers,
  unreadableHost,
} from '../platform/providers/local/test-numbers.ts'
import { testRecipients } from '../platform/providers/messaging/test-recipients.ts'
import { table } from './markdown.ts'

/** Returns the senders and templates of the sample data that reject messages, with the error of each. */
const refusingSamples = (): string[][] =>
  sampleRefusals.map(([what, name, error]) => [
    what === 'sender' ? `sender \`${name}\`` : `template \`${name}\` of \`${firstSampleSender}\``,
    error,
  ])

const assumed = (): string[][] =>
  (endpoints as readonly Endpoint[])
    .filter((it) => it.assumed !== undefined)
    .map((it) => [`\`${it.name}\` ${it.method} ${it.path}`, it.assumed ?? ''])

/** Returns what always has the same outcome on the local platform: its name, how it is used, and what happens. */
const testOutcomes = (): (readonly [name: string, use: string, outcome: string])[] => [
  ...Object.entries(testNumbers).map(([number, { sentence }]) => [number, '', sentence] as const),
  [unreadableHost, '', 'A website on this host cannot be read. The document of a knowledge base made from it fails.'],
  [refusingSipAddress, '', 'A SIP trunk to this server cannot be set up.'],
  ...Object.entries(testMessages).map(([text, sentence]) => [text, ' as a message in a chat', sentence] as const),
  ...Object.entries(testCallees).map(([number, { sentence }]) => [number, ' when called', sentence] as const),
  [refusedSmsRecipient, ' as recipient of an SMS', 'Cannot receive SMS. The price is refunded.'],
]

const recipientOutcomes = (): (readonly [name: string, outcome: string])[] =>
  Object.entries(testRecipients).map(([number, { sentence }]) => [number, sentence] as const)

/** Returns the module of the same outcomes, for the help in the terminal. */
export function testOutcomesModule(): string {
  const rows = [
    ...testOutcomes().map(([name, use, outcome]) => [`${name}${use}`, outcome]),
    ...recipientOutcomes().map(([name, outcome]) => [`${name} as recipient of a message`, outcome]),
  ].map(([what, outcome]) => [what, outcome?.replaceAll('`', '')])
  return `// Made of the simulated providers by "npm run generate".\n\n/** Numbers, hosts and messages that always have the same outcome on the local platform. */\nexport const testOutcomes: readonly (readonly [what: string, outcome: string])[] =\n  ${JSON.stringify(rows)}\n`
}

/** Returns the tables of the documentation, by the name of their markers in the pages of docs/: `<!-- exits -->`. */
const tables = (): Readonly<Record<string, string>> => ({
  exits: table(
    ['Code', 'Name', 'Meaning'],
    Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), `\`${name}\``, meaning]),
  ),
  environment: table(
    ['Variable', 'What it does'],
    Object.entries(environmentVariables).map(([name, text]) => [`\`${name}\``, text]),
  ),
  'test-numbers': table(
    ['Number, host or message', 'What happens'],
    testOutcomes().map(([name, use, outcome]) => [`\`${name}\`${use}`, outcome]),
  ),
  'test-recipients': table(
    ['Recipient', 'What happens'],
    recipientOutcomes().map(([name, outcome]) => [`\`${name}\``, outcome]),
  ),
  senders: table(['Sender or template', 'Error when sending'], refusingSamples()),
  assumed: table(['Endpoint', 'Source'], assumed()),
  capabilities: table(
    ['Capability', 'What it offers'],
    Object.entries(capabilities).map(([name, text]) => [`\`${name}\``, text]),
  ),
})

/**
 * Returns the pages with tables, updated between `<!-- name -->` and `<!-- /name -->`.
 * Throws if a table has no page or a page does not close a table.
 */
export function withTables(pages: Readonly<Record<string, string>>): Record<string, string> {
  const renewed: Record<string, string> = {}
  for (const [name, text] of Object.entries(tables())) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const path = Object.keys(pages).find((it) => pages[it]?.includes(open))
    const page = path && (renewed[path] ?? pages[path])
    if (!path || !page?.includes(close))
      throw new Error(`No page of docs/ has a place for the table "${name}": ${open} ... ${close}`)
    renewed[path] = `${page.slice(0, page.indexOf(open) + open.length)}\n${text}\n${page.slice(page.indexOf(close))}`
  }
  return renewed
}
