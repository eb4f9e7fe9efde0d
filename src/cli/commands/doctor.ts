import { command } from '../command.ts'
import { findServer } from '../connect.ts'
import type { Context } from '../context.ts'
import { checkConfiguration, checkDataFolder, hasDatabase } from '../doctor/files.ts'
import { type Finding, failedBy, ok, titleOf } from '../doctor/finding.ts'
import { checkInside, checkServer } from '../doctor/inside.ts'
import type { View } from '../output/form.ts'
import { local } from '../profiles.ts'
import type { Settings } from '../settings.ts'

const view: View<Finding> = {
  id: (it) => it.check,
  columns: [
    { key: 'status', title: 'Status', priority: 2 },
    { key: titleOf, title: 'Check', priority: 1 },
    { key: 'detail', title: 'Found', priority: 2, flexible: true },
    { key: 'hint', title: 'Way out', priority: 3, flexible: true },
  ],
  empty: 'Nothing to check.',
}

export const doctor = command({
  summary: 'See whether everything is in order: configuration, key, platform, data folder',
  diagnoses: true,
  onEmpty: true,
  flags: [{ flags: '--strict', describe: 'Let warnings count as failures' }],
  examples: ['', '--profile production', '--strict --json'],
  notes: 'Changes nothing and sends nothing but reads. Exit code 20 when a check failed.',
  view,
  async run(context, { flags }) {
    const findings = await context.progress.during('Looking', examine(context))
    const troubled = findings.filter((it) => it.status !== 'ok')
    if (context.out.settings.form === 'table' && context.out.settings.terminal && !context.out.settings.fields) await tellPeople(context, findings)
    else await context.out.list(findings, { view })
    const bad = troubled.filter((it) => flags.strict || it.status === 'failed')
    return bad.length > 0 ? 'finding' : 'done'
  },
})

async function examine(context: Context): Promise<Finding[]> {
  const { world } = context
  const found: Finding[] = [ok('parley', `Parley ${world.version} on ${world.runtime}, ${world.os}.`)]
  found.push(...checkConfiguration(world), ...checkDataFolder(world), checkServer(context), ...(await checkInside(context)))
  let settings: Settings
  try {
    settings = await context.settings()
  } catch (error) {
    return [...found, failedBy('profile', error)]
  }
  const { baseUrl } = settings
  found.push(ok('profile', toldOf(settings)))
  if (baseUrl.value === local.base_url && !hasDatabase(world) && !findServer(world)) return found
  const { checkPlatform } = await import('../doctor/platform.ts')
  return [...found, ...(await checkPlatform(context, settings))]
}

/** Which platform is in use and who said so. */
function toldOf({ profileName, baseUrl, profile }: Settings): string {
  const place = baseUrl.value === local.base_url ? 'the platform inside this program' : baseUrl.value
  if (baseUrl.from === profileName.from) return `None: ${place} is used, as ${baseUrl.from} says.`
  const said = profileName.from === 'built-in' ? 'which is used when nothing else is named' : `as ${profileName.from} says`
  return `"${profileName.value}", ${said}: ${place}${profile.read_only ? ', read-only' : profile.protected ? ', protected' : ''}.`
}

/** Sentences are read better than cells: one check a line, its way out below it. */
async function tellPeople({ out, notes }: Context, findings: readonly Finding[]): Promise<void> {
  const { entryLines } = await import('../output/cards.ts')
  const entries = findings.map((it) => ({
    title: `${it.status.padEnd(7)}  ${titleOf(it)}`,
    text: it.hint === null ? it.detail : `${it.detail}\n-> ${it.hint}`,
    isStatus: false,
  }))
  const text = await entryLines(entries, { colour: false, columns: out.settings.columns })
  await out.line(text.trimEnd())
  const count = (status: Finding['status']): number => findings.filter((it) => it.status === status).length
  await notes.note(`${findings.length} checks: ${count('failed')} failed, ${count('warning')} with a warning.`)
}
