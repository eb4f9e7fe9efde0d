import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../src/generate/markdown.ts'

interface Navigation {
  readonly navigation: readonly {
    readonly title: string
    readonly links: readonly { readonly title: string; readonly path: string }[]
  }[]
  readonly commands: readonly { readonly path: string; readonly title: string }[]
}

const site = join(import.meta.dirname, '../../site')
const { navigation, commands } = JSON.parse(readFileSync(join(site, 'pages/navigation.json'), 'utf8')) as Navigation

const address = (path: string): string => `/${path.replace(/index\.md$/, '').replace(/\.md$/, '')}`

/** What a reader wants to do, from docs/README.md. */
const pages = navigation.map(({ title, links }) => ({
  text: title,
  items: links.map((it) => ({ text: it.title, link: address(it.path) })),
}))

/** The commands of each folder, which the pages in it show beside them. */
const folders = [...new Set(commands.map(({ path }) => path.replace(/[^/]+$/, '')))]
const commandLists = Object.fromEntries(
  folders.map((folder) => [
    address(folder),
    [
      { text: 'Documentation', link: '/' },
      ...(folder === 'commands/' ? [] : [{ text: 'All commands', link: '/commands/' }]),
      {
        text:
          folder === 'commands/'
            ? 'Commands'
            : `parley ${folder.slice('commands/'.length, -1).replaceAll('/', ' ')}`.replace(
                'parley topics',
                'Help topics',
              ),
        items: commands
          .filter(({ path }) => path.startsWith(folder) && /^[^/]+(?:\/index)?\.md$/.test(path.slice(folder.length)))
          .map(({ path, title }) => ({ text: title, link: address(path) })),
      },
    ],
  ]),
)

export default defineConfig({
  title: 'Parley',
  description: 'A command line for a platform of voice and chat assistants, with a complete local platform included.',
  lang: 'en',
  srcDir: '../site/pages',
  outDir: '../site/dist',
  cacheDir: '../site/cache',
  markdown: {
    // Pages are plain Markdown, which forges show too: no HTML, and no templates of Vue.
    html: false,
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      const { escapeHtml } = md.utils
      md.renderer.rules.text = (tokens, n) => escapeHtml(tokens[n]?.content ?? '').replaceAll('{{', '&#123;&#123;')
      md.renderer.rules.code_inline = (tokens, n) => `<code v-pre>${escapeHtml(tokens[n]?.content ?? '')}</code>`
    },
  },
  transformPageData: (page) => {
    page.frontmatter.head ??= []
    page.frontmatter.head.push([
      'link',
      { rel: 'alternate', type: 'text/markdown', href: page.relativePath.replace(/^.*\//, '') },
    ])
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/' },
      { text: 'Commands', link: '/commands/' },
      { text: 'Automation steps', link: '/pieces' },
    ],
    sidebar: { '/': pages, ...commandLists },
    outline: { level: [2, 3] },
  },
})
