import type { Provider, ProviderResult } from './provider.ts'

/** A request to a language model for the next turn of a conversation. */
export interface ModelRequest {
  /** Names of the models to try, in order. The next one is used when one is unavailable. */
  readonly models: readonly string[]
  /** 0 to 1. */
  readonly temperature: number
  /** Name and instructions of the assistant. */
  readonly assistant: string
  readonly instructions: string
  /** Values of `{{name}}` in the texts of the assistant. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The conversation so far, oldest first. The last message is to be answered. */
  readonly messages: readonly ChatMessage[]
  /** Functions the model may call before it replies. */
  readonly functions: readonly ModelFunction[]
  /** Receives the reply in pieces, if the model streams. */
  readonly onText?: (piece: string) => void
  /** Receives each function call when it has finished. */
  readonly onRun?: (run: FunctionRun) => void
  readonly signal?: AbortSignal
}

/** A message, with the functions called for it. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly calls?: readonly FunctionRun[] | undefined
}

/** A function that a model can call. */
export interface ModelFunction {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Returns the result for the model. A failure is reported as `error`. */
  run(args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/** A function call and its result. */
export interface FunctionRun {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

export interface ModelReply {
  readonly text: string
  /** In the order of execution. */
  readonly calls: readonly FunctionRun[]
}

/** Generates what assistants say in chats. It runs outside any transaction; only functions have effects. */
export interface LanguageModel extends Provider {
  /** Returns whether it can extract values from ended conversations. Otherwise rules are used. */
  canExtract?(): boolean
  /** Extracts values from a conversation. Fields without a value are omitted. */
  extract?(request: ExtractionRequest): Promise<ProviderResult<{ readonly values: Readonly<Record<string, unknown>> }>>
  /** Returns the complete reply after all function calls, or a reason for its absence. */
  reply(turn: ModelRequest): Promise<ProviderResult<ModelReply>>
}

/** A request to extract values from an ended conversation. */
export interface ExtractionRequest {
  /** Name of the assistant's model. */
  readonly model: string
  readonly fields: readonly {
    readonly name: string
    readonly type: 'string' | 'number' | 'bool'
    readonly description: string
  }[]
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly signal: AbortSignal
}
