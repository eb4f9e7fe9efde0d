import type { AutomationTemplate } from '../../contract/automations/automation-records.ts'
import type { ConnectionKind } from '../../flow/pieces/ports.ts'
import type { ParamCheck } from './param-checks.ts'

export interface Param {
  readonly key: string
  readonly label: string
  readonly description: string
  readonly required?: true
  /** Used when it is left out. */
  readonly default?: string
  /** Only shown. */
  readonly example?: string
  /** What fills it in when it is left out. */
  readonly auto?: 'assistant_timezone'
  readonly choices?: readonly string[]
  /** Its key begins as those of further parameters do, one for each placeholder: `variable_2`, `variable_first_name`. They are optional. */
  readonly repeatPattern?: RegExp
  readonly check?: ParamCheck
}

/** A value for each parameter that has one. */
export type Values = Readonly<Record<string, string>>

/** What a template is made into an automation with, beside its parameters. */
export interface TemplateContext {
  /** The assistant it is attached to. */
  readonly assistant: number | null
  /** Milliseconds since the epoch: samples that wait lie after it. */
  readonly now: number
}

export interface Flow {
  readonly trigger: object
  readonly steps: readonly object[]
}

/** An automation somebody may want, with blanks to fill in (specification 2.11 and 4.20). */
export interface Template {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly use_when: string
  readonly binding: AutomationTemplate['binding']
  readonly connections: readonly ConnectionKind[]
  /** Whether it sends, calls, or makes others do so. */
  readonly sends: boolean
  readonly params: readonly Param[]
  /** Fields that an assistant gives when it asks during a call, for people. */
  readonly gives?: string
  readonly flow: (values: Values, context: TemplateContext) => Flow
  /** What its test is given, over what the event itself would bring. */
  readonly sample?: (values: Values, context: TemplateContext) => Readonly<Record<string, unknown>>
}

/** A template as the catalogue shows it; the sample is the one for the parameters' own values. */
export function toCatalogueEntry({ params, sample, ...it }: Template, now: number): AutomationTemplate {
  const { key, name, description, use_when, binding, connections, sends } = it
  const values = Object.fromEntries(
    params.flatMap((param) => (param.default === undefined ? [] : [[param.key, param.default]])),
  )
  return {
    key,
    name,
    description,
    use_when,
    binding,
    requires_assistant: binding !== null,
    required_connections: [...connections],
    side_effects: sends,
    params: params.map(({ check: _, repeatPattern: __, choices, required = false, ...rest }) => ({
      ...rest,
      required,
      ...(choices && { choices: [...choices] }),
    })),
    ...(sample && { test_sample: sample(values, { assistant: null, now }) }),
  }
}
