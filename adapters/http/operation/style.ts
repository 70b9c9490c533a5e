import { readFileSync } from 'node:fs'
import { fileUrl } from '../../files.ts'

/** Returns the style of a kind of pages: the colors and basics that all pages share, then its own. */
export const styleOf = (room: 'docs' | 'pages' | 'console'): string =>
  ['http/operation/base.css', `http/${room}/style.css`]
    .map((path) => readFileSync(fileUrl(path), 'utf8'))
    .join('\n')
