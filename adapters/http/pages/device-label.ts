/** Returns what the list of sessions calls a device: `Firefox (Linux)`, in every language. Undefined for a program that says neither. */
export const deviceLabel = (userAgent = ''): string | undefined => {
  const browser = BROWSERS.find(([, mark]) => mark.test(userAgent))?.[0]
  const system = SYSTEMS.find(([, mark]) => mark.test(userAgent))?.[0]
  if (browser === undefined) return system
  return system === undefined ? browser : `${browser} (${system})`
}

/** Most browsers say that they are others too, so the order counts. */
const BROWSERS = [
  ['Edge', /\bEdgA?(?:iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const
