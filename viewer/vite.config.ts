// Builds a page as one self-contained file, which the program compiles in: index.html, the viewer and the painter of
// pictures, or report.html (--mode report). One build per page: each holds what it uses and nothing else.
import { defineConfig, type Plugin } from "vite";

// Puts the script and the style into the page. What ends a script element inside a script would end the page's.
function oneFile(page: string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const asset = bundle[page];
      if (!asset || asset.type !== "asset") throw new Error(`the build has no ${page}`);
      let html = String(asset.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (name === page) continue;
        const text = file.type === "chunk" ? file.code : String(file.source);
        const tag = new RegExp(`<(script|link)[^>]*(src|href)="[./]*${name.replace(/[.]/g, "\\.")}"[^>]*>(</script>)?`);
        if (!tag.test(html)) throw new Error(`${page} does not name ${name}`);
        const inline = file.type === "chunk" ? `<script type="module">${text.replace(/<\/script/g, "<\\/script")}</script>` : `<style>${text}</style>`;
        html = html.replace(tag, () => inline);
        delete bundle[name];
      }
      asset.source = html;
    },
  };
}

export default defineConfig(({ mode }) => {
  const page = mode === "report" ? "report.html" : "index.html";
  return {
    base: "./",
    plugins: [oneFile(page)],
    build: {
      target: "es2022",
      cssCodeSplit: false,
      assetsInlineLimit: 1 << 20,
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      emptyOutDir: false,
      rollupOptions: { input: page, output: { inlineDynamicImports: true, entryFileNames: "page.js", assetFileNames: "page[extname]" } },
    },
  };
});
