import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Every Markdown page of the repository, by its path from the root. */
export const pagesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return pagesBelow(path)
      return entry.name.endsWith('.md') ? [path] : []
    })

const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage'])

/** The page without its blocks of code and its comments. Lines stay where they are. */
export const withoutCode = (page: string): string => {
  let fence: string | undefined
  const lines = page.split('\n').map((line) => {
    const [, mark] = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined
      return ''
    }
    fence = mark
    return mark === undefined ? line : ''
  })
  return lines.join('\n').replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ''))
}

/** The targets of all links that stay in the repository. */
export const linksIn = (page: string): ReadonlyArray<string> => {
  const text = withoutCode(page).replaceAll(/(`+)[^`](?:.*?[^`])?\1(?!`)/g, 'code')
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const references = [...text.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm)]
  return [...inline, ...references]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target))
}

/** The anchors of a page, as GitHub makes them from headings: a second one of a name gets `-1`. */
export const anchorsIn = (page: string): ReadonlyArray<string> => {
  const times = new Map<string, number>()
  const text = withoutCode(page)
  const ofHeadings = [...text.matchAll(/^ {0,3}#{1,6}\s+(.+?)(?:\s+#+)?\s*$/gm)].map(([, heading = '']) => {
    const name = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = times.get(name) ?? 0
    times.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  })
  return [...ofHeadings, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name)]
}

/**
 * What is wrong with the links of a page.
 *
 * @param path of the page, from the root; targets are relative to its folder
 * @param root where the repository is; the tests run from there, whether compiled or not
 */
export const brokenLinks = (path: string, page: string, root = '.'): ReadonlyArray<string> =>
  linksIn(page).flatMap((target) => {
    const [file = '', anchor] = target.split('#').map(decodeURIComponent)
    const to = file === '' ? path : normalize(join(dirname(path), file))
    if (file.startsWith('/') || to.startsWith('..')) return [`${target} leads out of the repository`]
    if (file !== '' && !existsSync(join(root, to))) return [`${target}: there is no ${to}`]
    if (anchor === undefined || !to.endsWith('.md')) return []
    const there = anchorsIn(file === '' ? page : readFileSync(join(root, to), 'utf8'))
    return there.includes(anchor) ? [] : [`${target}: ${to} has no heading #${anchor}`]
  })

/** How many lines a page has. */
export const lengthOf = (page: string): number => page.replace(/\n$/, '').split('\n').length
