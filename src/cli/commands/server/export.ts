import { resolve } from 'node:path'
import { platform } from '../../../contract/control/platform.ts'
import { describeWriteError } from '../../../node/file-error.ts'
import { stringifyJson } from '../../../node/json.ts'
import { command } from '../../commandline/command.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'

const view: View<{ readonly file?: string }> = { id: (it) => it.file ?? 'sample-data', columns: [], empty: '' }

export const exportData = command({
  callsPlatform: true,
  summary: platform.export.summary,
  risk: 'read',
  flags: [
    { flags: '--file <path>', describe: 'File to write, YAML; JSON if its name ends with .json (default: print it)' },
    { flags: '--include-secrets', describe: 'Include passwords, tokens and hashes of API keys' },
  ],
  examples: ['', '--file sample-data.yaml', '--file sample-data.json --include-secrets', '-o json'],
  notes:
    'Load the file with "parley server seed --file", or in tests with startPlatform({ data }). Not included: runs, drafts and earlier versions of automations, deliveries, events, the ledger, and calls in progress.',
  view,
  async run(context, { flags }) {
    await requireControlAccess(context)
    const { out, system, notes } = context
    const answer = await sendRequest(context, platform.export, { include_secrets: flags.includeSecrets === true })
    if (!answer) return
    const { data } = answer
    const file = typeof flags.file === 'string' ? flags.file : undefined
    if (file === undefined && out.settings.form !== 'table') return out.record(data, { view } as never)
    const { stringify } = await import('yaml')
    const text = file?.endsWith('.json')
      ? `${stringifyJson(data, null, 2)}\n`
      : stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })
    if (file === undefined) return out.line(text.trimEnd())
    const { replaceFile } = await import('../../../node/replace-file.ts')
    try {
      replaceFile(resolve(system.cwd, file), text, { mode: flags.includeSecrets === true ? 0o600 : 'keep' })
    } catch (error) {
      throw usageError(`Could not write --file ${file}: ${describeWriteError(error)}.`)
    }
    if (out.settings.form === 'table') await out.done(`Exported the data to ${file}.`)
    else await out.record({ file }, { view } as never)
    if (flags.includeSecrets === true) await notes.warn(`${file} has secrets. Store it as safely as a password.`)
  },
})
