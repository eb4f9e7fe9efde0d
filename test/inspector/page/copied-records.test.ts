import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import type {
  Automation,
  AutomationBrief,
  AutomationVersion,
} from '../../../src/contract/automations/automation-records.ts'
import type { CancelledRun, RunRecord, RunSummary } from '../../../src/contract/automations/run-records.ts'
import type * as faults from '../../../src/contract/control/faults.ts'
import type { inspector, TimelineEntry } from '../../../src/contract/control/inspector.ts'
import type * as automations from '../../../src/inspector/page/automations/automation-records.ts'
import type { FlowNode } from '../../../src/inspector/page/automations/flow-layout.ts'
import type { DueJob } from '../../../src/inspector/page/clock/scrubber.ts'
import type { Fault } from '../../../src/inspector/page/faults/describe-fault.ts'
import type { Finding } from '../../../src/inspector/page/overview/findings.ts'
import type { Entry } from '../../../src/inspector/page/timeline/entry.ts'

// The page imports nothing of the contract, so it has copies of the records. The compiler checks them here.

/** A value after it was sent as JSON, in which no field is undefined. */
type Sent<T> = T extends object ? { [K in keyof T]: Sent<Exclude<T[K], undefined>> } : T

type Row<E extends { readonly output?: z.ZodType | undefined }, K extends string> =
  z.output<NonNullable<E['output']>> extends Readonly<Record<K, readonly (infer T)[]>> ? T : never

test('what the contract sends has the fields of the records of the page', () => {
  expectTypeOf<Sent<AutomationNode>>().toExtend<FlowNode>()
  expectTypeOf<Sent<AutomationBrief>>().toExtend<automations.AutomationBrief>()
  expectTypeOf<Sent<Automation>>().toExtend<automations.AutomationRecord>()
  expectTypeOf<Sent<AutomationVersion>>().toExtend<automations.VersionBrief>()
  expectTypeOf<Sent<RunSummary>>().toExtend<automations.RunSummary>()
  expectTypeOf<Sent<CancelledRun>>().toExtend<automations.CancelledRun>()
  expectTypeOf<Sent<RunRecord>>().toExtend<automations.RunRecord>()
  expectTypeOf<Sent<faults.Fault>>().toExtend<Fault>()
  expectTypeOf<Sent<TimelineEntry>>().toExtend<Entry>()
  expectTypeOf<Sent<Row<typeof inspector.due, 'data'>>>().toExtend<DueJob>()
  expectTypeOf<Sent<Row<typeof inspector.overview, 'attention'>>>().toExtend<Finding>()
})
