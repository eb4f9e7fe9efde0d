import { resolve } from 'node:path'
import { stringifyJson } from '../../../node/json.ts'
import { command } from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { Layout } from '../as-code/compare-folder.ts'
import { isResourcePath, onlyFlag, parseSelection } from '../as-code/project-layout.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../automations/write-flags.ts'
import { passesScenarios } from './passes-scenarios.ts'
import { openProfilePair, openTarget } from './profile-pair.ts'
import { promote as apply } from './promote.ts'
import { readDocumentContents } from './promoted-documents.ts'
import { promotionView } from './promotion-view.ts'
import { undoPromotion } from './undo-promotion.ts'

/** Kinds that belong to one account only, and are promoted only when `--only` or a name selects them. */
const selectedKinds = 'numbers,senders,sip-trunks,campaigns'
const promotedKinds = 'labels,folders,knowledge,tools,assistants,automations'

export const promote = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Apply the resources of one profile to another',
  argument: {
    name: 'resource',
    describe: 'Resources such as assistants/front-desk (default: all), or "undo" for the last promotion',
    optional: true,
    isVariadic: true,
  },
  risk: 'outside',
  supportsPreview: true,
  flags: [
    { flags: '--from <profile>', describe: 'Profile to read' },
    { flags: '--to <profile>', describe: 'Profile to write' },
    { ...onlyFlag, describe: `Comma-separated kinds, also ${selectedKinds} (default: ${promotedKinds})` },
    { flags: '--skip-fields <names>', describe: 'Comma-separated fields that are not changed on the target' },
    {
      flags: '--documents <folder>',
      describe: 'Project folder whose knowledge/*.yaml has the url, links or file of documents',
    },
    {
      flags: '--test <folder>',
      describe: 'First run the scenarios of this project folder, like "parley assistants test"',
    },
    {
      flags: '--force',
      describe: 'Overwrite what was changed on the target since the last promotion',
    },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps of automations that send messages or place calls',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    { flags: '--confirm <profile>', describe: 'Name of the target profile, to confirm' },
  ],
  examples: [
    '--from staging --to production --dry-run',
    'assistants/front-desk --from staging --to production --confirm production',
    '--from staging --to production --skip-fields phone_number_id,webhook_url --confirm production',
    'undo --to production --confirm production',
  ],
  notes: `Resources are matched by name. The plan lists created, changed and unchanged resources with both values, and marks those that are live. If the target lacks references or secrets, all of them are listed and nothing is sent (exit code 2). Secrets are read from the environment, and an existing resource keeps the secrets it has. Nothing is deleted. The platform does not return the content of documents of knowledge bases: --documents reads it from files of "parley push". Documents without content are named and not promoted (exit code 20), and those that only the target has stay.
Only --from and --to select the platforms: --profile, --base-url, PARLEY_BASE_URL and PARLEY_API_KEY are rejected, and PARLEY_PROFILE and project files have no effect. Every write requires the name of the target. With --test, nothing is sent unless every scenario passes (exit code 20).
If only the target was changed since the last promotion, or both changed the same field, the changes are shown and nothing is sent (exit code 5); --force overwrites them and prints each value that is lost. A change of the target in another field than that of the source is preserved and printed, also later, until the source changes that field. The result is read back: exit code 20 when it differs, 11 when some resources failed. Run the same command again to resume: nothing is sent twice. Of two promotions to a profile at the same time on one computer, the second fails with exit code 5.
"promote undo" restores the fields that the last promotion changed, and deletes what it created. Later changes in other fields stay. A promotion is one entry of the history of the target profile, and "parley history undo <entry>" does the same.`,
  view: promotionView,
  async run(context, { words, flags }) {
    const options = parseWriteOptions(flags)
    const { confirm, force } = flags
    const forced = force === true
    if (words.length === 1 && words[0] === 'undo') {
      const { layout } = await parseSelection(context, [], undefined, true)
      const to = await openTarget(context, flags.to)
      return undoPromotion(context, to, { layout, options, confirm, forced }).finally(() => to.context.close())
    }
    const wrong = words.find((it) => !isResourcePath(it))
    if (wrong !== undefined)
      throw usageError(
        `${stringifyJson(wrong)} is not the kind and name of a resource. Nothing was sent.`,
        'Write assistants/front-desk for one resource, or --only assistants for all of a kind.',
      )
    const { layout } = await parseSelection(
      context,
      words,
      words.length > 0 ? flags.only : (flags.only ?? promotedKinds),
    )
    const skipped = new Set(
      String(flags.skipFields ?? '')
        .split(',')
        .map((it) => it.trim())
        .filter((it) => it !== ''),
    )
    rejectUnknownFields(skipped, layout)
    const pair = await openProfilePair(context, flags.from, flags.to)
    if (typeof flags.test === 'string') {
      if (!(await passesScenarios(context, flags.test))) {
        await pair.close()
        return 'finding'
      }
    }
    const contents =
      typeof flags.documents === 'string'
        ? await readDocumentContents(context, resolve(context.system.cwd, flags.documents))
        : new Map()
    return apply(context, pair, { layout, skipped, contents, options, confirm, forced }).finally(() => pair.close())
  },
})

/** @throws ClientFailure `usage` for a field that none of the promoted kinds has */
function rejectUnknownFields(names: ReadonlySet<string>, layout: Layout): void {
  const known = new Set(layout.flatMap(([, kind]) => Object.keys(kind.documentSchema.shape)))
  const unknown = [...names].filter((it) => !known.has(it))
  if (unknown.length > 0)
    throw usageError(
      `Unknown field in --skip-fields: ${unknown.map((it) => `"${it}"`).join(', ')}. Nothing was sent.`,
      `Fields: ${[...known].sort().join(', ')}.`,
    )
}
