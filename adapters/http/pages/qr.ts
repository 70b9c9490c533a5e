import { type Html, html, verbatim } from '../operation/html.ts'

/**
 * Renders a text as a QR code: black on white with a quiet zone, in any color scheme. It is a picture in the page itself, so the policy of
 * the page needs no permission for it.
 *
 * The encoder is loaded with the first picture: few visitors need one.
 */
export const qrCode = async (text: string, label: string): Promise<Html> => {
  const { default: encodeQR } = await import('qr')
  const svg = encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE })
  return html`<svg class="qr" role="img" aria-label="${label}" ${verbatim(svg.replace(/^<svg /, ''))}`
}

/** In modules (ISO/IEC 18004). */
const QUIET_ZONE = 4
