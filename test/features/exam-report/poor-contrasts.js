/**
 * Runs in a page, and its value is what has too little contrast against what is behind it: less than
 * 4.5 to 1 as text, less than 3 to 1 as a part of a chart.
 */
(() => {
  const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => (part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, opacity = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (opacity > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');

  const parts = [...document.querySelectorAll('.swatch rect:not(.texture)')].map((part) => ({
    element: part,
    ratio: contrast(rgb(getComputedStyle(part).fill), behind(part.closest('td, th'))),
    least: 3,
  }));
  const texts = [...document.body.querySelectorAll(':not(svg, svg *)')].filter(hasText).map((text) => ({
    element: text,
    ratio: contrast(rgb(getComputedStyle(text).color), behind(text)),
    least: 4.5,
  }));
  if (parts.length === 0 || texts.length === 0) return ['there is nothing to measure'];
  return [...parts, ...texts]
    .filter(({ ratio, least }) => ratio < least)
    .map(({ element, ratio }) => `${element.outerHTML.slice(0, 100)}: ${ratio.toFixed(2)}`);
})();
