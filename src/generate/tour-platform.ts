interface Asked {
  readonly body?: unknown
  readonly key?: string | null
}
export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: steps read ids of responses and fail if there are none.
  readonly body: any
  readonly text: string
}
/** A platform in this process that answers requests, with its API key unless another one is given. */
export interface TourPlatform {
  ask(method: string, url: string, asked?: Asked): Promise<Answered>
  buy(number: string): Promise<Answered>
  /** Sends a request to the control API. */
  control(method: string, url: string, body?: unknown): Promise<Answered>
}
