import { join } from 'node:path'
import * as z from '../../../contract/schema/schema.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { resolveAccountId } from '../../program/connection/account-id.ts'
import type { Context } from '../../program/context.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { CriterionResult, CriterionSummary } from './criterion-result.ts'
import { type Rubric, totalId } from './rubric.ts'

// Results of earlier runs, in a file of this computer for each profile, noun and rubric. What a model judged is found in it and not
// paid for again, also after a run was killed. Later versions read the file: its name and its fields stay, and fields are added.
// local-files.ts names the folder, for those who want to know what is on the disk, and for `doctor`.

const Verdict = z.object({
  kind: z.literal('verdict'),
  /** Hash of what the model was asked: its name, the criterion and the text. */
  asked: z.string(),
  result: CriterionResult,
})

const Start = z.object({
  kind: z.literal('start'),
  /** Hash of the flags that select. */
  selection: z.string(),
  seed: z.int(),
  ids: z.array(z.string()),
})

const End = z.object({
  kind: z.literal('end'),
  at: z.string(),
  rubric: z.string(),
  /** Null for checks alone. Runs of different models, or without one, are not compared. */
  model: z.string().nullable(),
  /** As in a start. */
  selection: z.string(),
  summaries: z.array(CriterionSummary),
})
export type EndedRun = z.output<typeof End>
export type StartedRun = z.output<typeof Start>

/** The results of earlier runs, which this process has locked. */
export interface Results {
  /** Returns the result of a model for what it was asked; undefined if it was not asked, or gave no usable one. */
  find(asked: string): CriterionResult | undefined
  /** Saves results, each by what was asked. They are on disk on return. */
  save(found: readonly (readonly [asked: string, result: CriterionResult])[]): void
  /** The last run with these flags, if it did not end. */
  interrupted(selection: string): StartedRun | undefined
  start(run: Omit<StartedRun, 'kind'>): void
  /** The last run with this model that ended and judged something. */
  previous(model: string | null): EndedRun | undefined
  end(run: Omit<EndedRun, 'kind'>): void
  close(): void
}

/** Returns whether a row says that a run judged something. */
const isTotalScore = ({ criterion, score }: CriterionSummary): boolean => criterion === totalId && score !== null

/** Opens the results of a noun and a rubric. @throws ClientFailure `conflict` while another process judges by it */
export async function openResults(context: Context, noun: string, { name }: Rubric): Promise<Results> {
  const { system } = context
  const { profileName, baseUrl } = await context.settings()
  const account = await resolveAccountId(context)
  const folder = join(dataDir(system), 'judgements')
  const id = hashJson([profileName.value, baseUrl.value, account ?? null, noun, name]).slice(0, 32)
  const file = join(folder, `${id}.ndjson`)
  makeFolder(folder)
  const lock = lockWork(join(folder, `${id}.lock`), system, (it) => `${it} judges ${noun} by the rubric "${name}".`)
  const verdicts = new Map<string, CriterionResult>()
  const ended: EndedRun[] = []
  let open: StartedRun | undefined
  for (const line of readLines(file)) {
    const value = parseJsonLine(line)
    const [verdict, start, end] = [Verdict.safeParse(value), Start.safeParse(value), End.safeParse(value)]
    if (verdict.success) verdicts.set(verdict.data.asked, verdict.data.result)
    if (start.success) open = start.data
    if (end.success) {
      open = undefined
      ended.push(end.data)
    }
  }
  const append = (...values: readonly object[]): void => appendLines(file, values, { isDurable: true })
  return {
    find: (asked) => verdicts.get(asked),
    save(found) {
      if (found.length > 0) append(...found.map(([asked, result]) => ({ kind: 'verdict', asked, result })))
      for (const [asked, result] of found) verdicts.set(asked, result)
    },
    interrupted: (selection) => (open?.selection === selection ? open : undefined),
    start: (run) => append({ kind: 'start', ...run }),
    previous: (model) => ended.findLast((it) => it.model === model && it.summaries.some(isTotalScore)),
    end: (run) => append({ kind: 'end', ...run }),
    close: () => lock.release(),
  }
}
