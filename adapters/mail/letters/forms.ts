import type { Block, Draft } from './blocks.ts'

/** The forms of a letter. */
export type LetterForm = Readonly<{ language: string; name: string; url: string }>

/** As plain text. A link is a line of its own. */
export const textForm = ({ blocks }: Draft, { name, url }: LetterForm): string =>
  `${blocks.map((block) => ('link' in block ? block.link : block.paragraph)).join('\n\n')}\n\n-- \n${name}\n${url}\n`

/**
 * As HTML that is shown by old mail programs too: tables, and styles in attributes. Nothing is loaded from elsewhere. The text of a link is
 * its URL, so that people see where it leads.
 */
export const htmlForm = ({ subject, blocks }: Draft, { language, name, url }: LetterForm): string =>
  `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${STYLE}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f3f4f6">
<div role="main">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td class="quiet" style="${FONT};padding:0 4px 12px;font-size:15px;font-weight:600;color:#4b5563">${escaped(name)}</td></tr>
<tr><td class="card" style="${FONT};background:#ffffff;border:1px solid #e5e7eb;border-radius:12px;padding:28px 28px 12px;color:#111827">
<h1 class="title" style="margin:0 0 16px;font-size:21px;line-height:28px;font-weight:600;hyphens:auto">${escaped(subject)}</h1>
${blocks.map(htmlBlock).join('\n')}
</td></tr>
<tr><td class="quiet" style="${FONT};padding:16px 4px 0;font-size:13px;line-height:20px;color:#4b5563">${escaped(name)} · ${escaped(url)}</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`

const htmlBlock = (block: Block): string =>
  'link' in block
    ? `<p style="margin:0 0 16px"><a class="link" href="${escaped(block.link)}" style="display:block;padding:14px 16px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-size:15px;line-height:22px;font-weight:600;text-decoration:none;word-break:break-word">${escaped(block.link)}</a></p>`
    : `<p style="margin:0 0 16px;font-size:16px;line-height:24px">${escaped(block.paragraph).replaceAll('\n', '<br>\n')}</p>`

const FONT =
  'overflow-wrap:anywhere;font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif'

const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){
.card{padding:22px 18px 6px!important}
.title{font-size:17px!important;line-height:24px!important}
}
@media (prefers-color-scheme:dark){
.ground{background:#0f1115!important}
.card{background:#1a1d23!important;border-color:#2e333d!important;color:#f3f4f6!important}
.quiet{color:#a8b0bd!important}
.link{background:#2f62e6!important}
}
`

/** For text and for attributes in double quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
