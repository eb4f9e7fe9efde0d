import { isDeepStrictEqual } from 'node:util'
import { command } from '../../commandline/command.ts'
import { definitionOf, redactContent } from '../../history/entry-content.ts'
import { compareWithLive, findGivenEntry, planUndo } from '../../history/undo-plan.ts'
import { nounToken } from '../../resources/descriptors.ts'
import { describeChanges } from '../../updates/field-changes.ts'
import { argument } from './view.ts'

export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare a history entry with the live resource',
  argument,
  examples: ['12', '12 --json'],
  notes:
    'Shows each field that differs, from the saved value to the live value. Secrets are not shown. Of a promotion, the fields that it changed are compared in all of its resources. The exit code is 20 when there are differences.',
  async run(context, { argument: given }) {
    const copy = await findGivenEntry(context, given)
    if (copy.promotion) {
      const { diffPromotionEntry } = await import('../../promotion/diff-promotion-entry.ts')
      return diffPromotionEntry(context, copy, copy.promotion)
    }
    const { kind, live } = await compareWithLive(context, copy)
    const before = definitionOf(kind, copy.before ?? {})
    const now = live && definitionOf(kind, await redactContent(kind, live))
    const names = now ? [...new Set([...Object.keys(before), ...Object.keys(now)])] : []
    const differences = names
      .filter((name) => !isDeepStrictEqual(before[name] ?? null, now?.[name] ?? null))
      .map((field) => ({ field, copy: before[field] ?? null, live: now?.[field] ?? null }))
    const secrets = live && copy.before ? (await planUndo({ copy, kind, live })).secret : []
    const isGone = live === undefined
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(
        {
          entry: copy.entry,
          noun: nounToken(copy.noun),
          id: Object.values(copy.ids).join('/'),
          gone: isGone,
          differences,
          not_compared: secrets,
        },
        {
          view: { id: () => copy.entry, columns: [], empty: '' },
        } as never,
      )
    else if (isGone)
      await out.line(
        `The ${kind.singular} ${copy.name === null ? '' : `"${copy.name}" `}(${Object.values(copy.ids).join('/')}) no longer exists.`,
      )
    else {
      const lines = describeChanges(before, now ?? {})
      const none = secrets.length > 0 ? [] : ['No differences.']
      for (const it of lines.length > 0 ? lines : none) await out.line(it)
      if (secrets.length > 0)
        await out.line(
          `Not compared: ${secrets.join(', ')}. The history does not save secrets, which may have changed.`,
        )
    }
    return isGone || differences.length > 0 ? 'finding' : 'done'
  },
})
