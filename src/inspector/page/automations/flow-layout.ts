/** Step of a definition as the platform returns it. A copy of `AutomationNode` (contract/automations/automation-node.ts). */
export interface FlowNode {
  readonly name?: string
  readonly type?: string
  readonly displayName?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly nextAction?: FlowNode | null
  readonly onSuccessAction?: FlowNode | null
  readonly onFailureAction?: FlowNode | null
  readonly firstLoopAction?: FlowNode | null
  readonly continueOnFailureBranches?: OutcomeBranches | null
  readonly [field: string]: unknown
}

/** First steps after a step that may fail. */
interface OutcomeBranches {
  readonly onSuccess?: FlowNode | null
  readonly onFailure?: FlowNode | null
}

/** Step at its place in the drawing. Sizes in pixels. */
interface PlacedNode {
  readonly node: FlowNode
  readonly name: string
  readonly x: number
  readonly y: number
}

/** Line between two points, with the name of the path that it starts. */
interface PlacedEdge {
  readonly from: string
  /** Name of the step it leads to; undefined for the end of a path. */
  readonly to: string | undefined
  readonly points: readonly (readonly [x: number, y: number])[]
  readonly label?: string
}

/** Where the steps of a definition are drawn. */
export interface FlowLayout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  /** Frames around the steps of loops. */
  readonly frames: readonly {
    readonly name: string
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }[]
  readonly width: number
  readonly height: number
}

export const nodeWidth = 216
export const nodeHeight = 54
const gapX = 28
const gapY = 34
const labelHeight = 18

/** Path that leaves a branch or router. */
interface Path {
  readonly label: string
  readonly first: FlowNode | null
}

/** Drawing of a chain of steps, relative to its own top left corner. `center` is the x of its line. */
interface Block {
  readonly nodes: PlacedNode[]
  readonly edges: PlacedEdge[]
  readonly frames: FlowLayout['frames'][number][]
  readonly width: number
  readonly height: number
  readonly center: number
  readonly first: string | undefined
  /** Points that lead to the next step. */
  readonly ends: { readonly from: string; readonly x: number; readonly y: number; readonly label?: string }[]
}

const asNode = (value: unknown): FlowNode | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FlowNode) : null

/**
 * Returns the steps inside a step, each with the path to it, and the next step last. The fields are `childFields` of
 * contract/automations/walk-steps.ts.
 */
export function childrenOf(node: FlowNode): readonly { readonly path: string; readonly child: FlowNode }[] {
  const { onSuccessAction, onFailureAction, firstLoopAction, continueOnFailureBranches: branches, nextAction } = node
  const places = { onSuccessAction, onFailureAction, firstLoopAction, onSuccess: branches?.onSuccess }
  return Object.entries({ ...places, onFailure: branches?.onFailure, nextAction }).flatMap(([path, value]) => {
    const child = asNode(value)
    return child ? [{ path, child }] : []
  })
}

/** Returns the paths of a step that may fail; empty if there are none. */
function outcomePaths(node: FlowNode): readonly Path[] {
  const options = settingsOf(node).errorHandlingOptions as
    | { readonly continueOnFailure?: { readonly value?: unknown } }
    | undefined
  const [onSuccess, onFailure] = [node.continueOnFailureBranches?.onSuccess, node.continueOnFailureBranches?.onFailure]
  if (options?.continueOnFailure?.value !== true || (!asNode(onSuccess) && !asNode(onFailure))) return []
  return [
    { label: 'on success', first: asNode(onSuccess) },
    { label: 'on failure', first: asNode(onFailure) },
  ]
}

const settingsOf = (node: FlowNode): Readonly<Record<string, unknown>> => node.settings ?? {}

interface RouterSettings {
  readonly executionType?: string
  readonly branches?: readonly { readonly branchName?: string; readonly branchType?: string }[]
}

/**
 * Returns the paths that leave a step, and the step after they joined. A router is stored as branches inside each
 * other, or one after the other: they become the paths of one step again.
 */
export function pathsOf(node: FlowNode): { readonly paths: readonly Path[]; readonly next: FlowNode | null } {
  const router = settingsOf(node).router as RouterSettings | undefined
  const names = router?.branches
  if (!Array.isArray(names))
    return {
      paths: [
        { label: 'true', first: asNode(node.onSuccessAction) },
        { label: 'false', first: asNode(node.onFailureAction) },
      ],
      next: asNode(node.nextAction),
    }
  const isAll = router?.executionType === 'EXECUTE_ALL_MATCH'
  const link = isAll ? 'nextAction' : 'onFailureAction'
  const paths: Path[] = [{ label: nameOf(names, 0), first: asNode(node.onSuccessAction) }]
  let last = node
  for (let next = asNode(node[link]); next && settingsOf(next).routerBranch !== undefined; next = asNode(next[link])) {
    paths.push({ label: nameOf(names, Number(settingsOf(next).routerBranch)), first: asNode(next.onSuccessAction) })
    last = next
  }
  const fallback = names.findIndex((it) => it.branchType === 'FALLBACK')
  const otherwise = isAll ? asNode(last.nextAction) : null
  if (!isAll) {
    if (fallback >= 0 || asNode(last.onFailureAction))
      paths.push({ label: nameOf(names, fallback) || 'Otherwise', first: asNode(last.onFailureAction) })
    return { paths, next: asNode(node.nextAction) }
  }
  const isFallback = otherwise?.name === `${node.name}_otherwise`
  if (isFallback) paths.push({ label: 'Otherwise', first: asNode(otherwise?.onSuccessAction) })
  return { paths, next: isFallback ? asNode(otherwise?.nextAction) : otherwise }
}

const nameOf = (names: NonNullable<RouterSettings['branches']>, at: number): string =>
  names[at]?.branchName ?? (at >= 0 ? `Branch ${at + 1}` : '')

const move = (block: Block, dx: number, dy: number): Block => ({
  ...block,
  center: block.center + dx,
  nodes: block.nodes.map((it) => ({ ...it, x: it.x + dx, y: it.y + dy })),
  frames: block.frames.map((it) => ({ ...it, x: it.x + dx, y: it.y + dy })),
  edges: block.edges.map((it) => ({ ...it, points: it.points.map(([x, y]) => [x + dx, y + dy] as const) })),
  ends: block.ends.map((it) => ({ ...it, x: it.x + dx, y: it.y + dy })),
})

function line(from: { readonly x: number; readonly y: number }, to: { readonly x: number; readonly y: number }) {
  if (Math.abs(from.x - to.x) < 0.5)
    return [
      [from.x, from.y],
      [to.x, to.y],
    ] as const
  const middle = to.y - gapY / 2
  return [
    [from.x, from.y],
    [from.x, middle],
    [to.x, middle],
    [to.x, to.y],
  ] as const
}

function single(node: FlowNode): Block {
  const name = String(node.name ?? '')
  return {
    nodes: [{ node, name, x: 0, y: 0 }],
    edges: [],
    frames: [],
    width: nodeWidth,
    height: nodeHeight,
    center: nodeWidth / 2,
    first: name,
    ends: [{ from: name, x: nodeWidth / 2, y: nodeHeight }],
  }
}

/** Draws the paths of a branch side by side below it. */
function branch(node: FlowNode, paths: readonly Path[]): Block {
  const name = String(node.name ?? '')
  const blocks = paths.map((it) => (it.first ? chain(it.first) : null))
  const widths = blocks.map((it) => it?.width ?? nodeWidth / 2)
  const width = Math.max(nodeWidth, widths.reduce((sum, it) => sum + it, 0) + gapX * (paths.length - 1))
  const top = nodeHeight + gapY + labelHeight
  const height = Math.max(...blocks.map((it) => top + (it?.height ?? 0)))
  const center = width / 2
  const result: Block = {
    ...single(node),
    nodes: [{ node, name, x: center - nodeWidth / 2, y: 0 }],
    width,
    height,
    center,
    ends: [],
  }
  let x = (width - (widths.reduce((sum, it) => sum + it, 0) + gapX * (paths.length - 1))) / 2
  for (const [at, path] of paths.entries()) {
    const start = { x: center, y: nodeHeight }
    const block = blocks[at]
    const column = x + (block ? block.center : (widths[at] as number) / 2)
    const turn = nodeHeight + gapY / 2
    const points = [
      [start.x, start.y],
      [start.x, turn],
      [column, turn],
      [column, top],
    ] as const
    result.edges.push({ from: name, to: block?.first, points, label: path.label })
    if (block) {
      const placed = move(block, x, top)
      result.nodes.push(...placed.nodes)
      result.edges.push(...placed.edges)
      result.frames.push(...placed.frames)
      result.ends.push(...placed.ends)
    } else result.ends.push({ from: name, x: column, y: top })
    x += (widths[at] as number) + gapX
  }
  return result
}

/** Draws a loop with its steps in a frame below it. */
function loop(node: FlowNode): Block {
  const name = String(node.name ?? '')
  const first = asNode(node.firstLoopAction)
  if (!first) return single(node)
  const pad = 20
  const inner = chain(first)
  const width = Math.max(nodeWidth, inner.width) + pad * 2
  const top = nodeHeight + gapY + labelHeight
  const center = pad + Math.max(inner.center, nodeWidth / 2)
  const placed = move(inner, center - inner.center, top)
  const height = top + inner.height + pad
  return {
    nodes: [{ node, name, x: center - nodeWidth / 2, y: 0 }, ...placed.nodes],
    edges: [
      {
        from: name,
        to: inner.first,
        points: [
          [center, nodeHeight],
          [center, top],
        ],
        label: 'for each item',
      },
      ...placed.edges,
    ],
    frames: [{ name, x: 0, y: nodeHeight + gapY / 2, width, height: height - nodeHeight - gapY / 2 }, ...placed.frames],
    width,
    height,
    center,
    first: name,
    ends: [{ from: name, x: center, y: height }],
  }
}

/** Draws a step and all that follow it. */
function chain(first: FlowNode): Block {
  const blocks: Block[] = []
  for (let node: FlowNode | null = first; node; ) {
    let next = asNode(node.nextAction)
    if (node.type === 'BRANCH') {
      const { paths, next: after } = pathsOf(node)
      blocks.push(branch(node, paths))
      next = after
    } else if (node.type === 'LOOP_ON_ITEMS') blocks.push(loop(node))
    else {
      const outcomes = outcomePaths(node)
      blocks.push(outcomes.length > 0 ? branch(node, outcomes) : single(node))
    }
    node = next
  }
  const center = Math.max(...blocks.map((it) => it.center))
  const all: Block = {
    nodes: [],
    edges: [],
    frames: [],
    width: center + Math.max(...blocks.map((it) => it.width - it.center)),
    height: 0,
    center,
    first: blocks[0]?.first,
    ends: [],
  }
  let y = 0
  let ends: Block['ends'] = []
  for (const block of blocks) {
    const placed = move(block, center - block.center, y)
    for (const end of ends)
      all.edges.push({ from: end.from, to: block.first, points: line(end, { x: placed.center, y }) })
    all.nodes.push(...placed.nodes)
    all.edges.push(...placed.edges)
    all.frames.push(...placed.frames)
    ends = placed.ends.map((it) => ({ ...it }))
    y += block.height + gapY
  }
  return { ...all, height: y - gapY, ends }
}

/** Places all steps of a definition: a chain runs down, paths are side by side, and a loop has a frame. */
export function layoutFlow(trigger: FlowNode): FlowLayout {
  const { nodes, edges, frames, width, height } = chain(trigger)
  return { nodes, edges, frames, width, height }
}
