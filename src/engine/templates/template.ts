import type { AutomationTemplate } from '../../contract/automations/automation-records.ts'
import type { ConnectionKind } from '../pieces/ports.ts'
import type { ParamCheck } from './param-checks.ts'

/** Parameter of a template. Its values are texts; `check` says which are valid. */
export interface Param {
  readonly key: string
  readonly label: string
  readonly description: string
  readonly required?: true
  /** Value of an omitted parameter. */
  readonly default?: string
  /** Only displayed. */
  readonly example?: string
  /** Source that fills an omitted parameter. */
  readonly auto?: 'assistant_timezone'
  readonly choices?: readonly string[]
  /**
   * Pattern of the keys of further optional parameters, one for each placeholder: `variable_2`, `variable_first_name`.
   */
  readonly repeatPattern?: RegExp
  readonly check?: ParamCheck
}

/** Value of each parameter that has one. */
export type Values = Readonly<Record<string, string>>

/** Context of creating an automation from a template, in addition to its parameters. */
interface TemplateContext {
  /** Assistant that the automation is attached to. */
  readonly assistant: number | null
  /** Milliseconds since the epoch. Samples that wait are later than this. */
  readonly now: number
}

/** Trigger and steps of a template, before they are put together to a definition. */
export interface Flow {
  readonly trigger: object
  readonly steps: readonly object[]
}

/** Automation template with parameters to fill in (sections 2.11 and 4.20). */
export interface Template {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly use_when: string
  readonly binding: AutomationTemplate['binding']
  readonly connections: readonly ConnectionKind[]
  /** Whether it sends messages or places calls, directly or indirectly. */
  readonly sends: boolean
  readonly params: readonly Param[]
  /** Description of the fields that an assistant provides when it calls the automation. */
  readonly gives?: string
  readonly flow: (values: Values, context: TemplateContext) => Flow
  /** Returns fields that replace those of the default sample event in a test. */
  readonly sample?: (values: Values, context: TemplateContext) => Readonly<Record<string, unknown>>
}

/**
 * Returns a template as the catalogue shows it. The sample is the one for the default parameter values. `parley doctor` compares the
 * catalogue of a remote deployment with it.
 */
export function toCatalogueEntry({ params, sample, ...template }: Template, now: number): AutomationTemplate {
  const { key, name, description, use_when, binding, connections, sends } = template
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
