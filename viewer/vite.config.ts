// Builds the page as one self-contained file: the program compiles that file in, and a picture needs no other request.
import { defineConfig, type Plugin } from "vite";

// Puts the script and the style into the page. What ends a script element inside a script would end the page's.
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("the build has no index.html");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const text = file.type === "chunk" ? file.code : String(file.source);
        const tag = new RegExp(`<(script|link)[^>]*(src|href)="[./]*${name.replace(/[.]/g, "\\.")}"[^>]*>(</script>)?`);
        if (!tag.test(html)) throw new Error(`index.html does not name ${name}`);
        const inline = file.type === "chunk" ? `<script type="module">${text.replace(/<\/script/g, "<\\/script")}</script>` : `<style>${text}</style>`;
        html = html.replace(tag, () => inline);
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  build: {
    target: "es2022",
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    emptyOutDir: true,
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: "page.js", assetFileNames: "page[extname]" } },
  },
});
