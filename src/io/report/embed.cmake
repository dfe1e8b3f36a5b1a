# Compiles the report page into the program: page.html, page.css and the scripts become one generated .cpp.
# Included by CMake it offers grus_embed_report(target); run with -P it writes OUTPUT from the files in SOURCE.
set(report_folder ${CMAKE_CURRENT_LIST_DIR})
set(report_scripts numbers.js chart.js mesh.js raster.js scene.js analysis.js page.js)

if(CMAKE_SCRIPT_MODE_FILE)
  # As bytes: any text survives, whatever quotes and brackets it holds.
  function(append_text name)
    set(bytes "")
    foreach(file ${ARGN})
      file(READ ${report_folder}/${file} hex HEX)
      string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
      string(APPEND bytes "${hex}\n")
    endforeach()
    file(APPEND ${OUTPUT}.part "static constexpr unsigned char ${name}_bytes[] = {\n${bytes}};\n"
      "const std::string_view ${name}(reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes);\n")
  endfunction()
  file(WRITE ${OUTPUT}.part "#include \"io/report/page_text.hpp\"\nnamespace grus {\n")
  append_text(report_page page.html)
  append_text(report_style page.css)
  append_text(report_script ${report_scripts})
  file(APPEND ${OUTPUT}.part "}  // namespace grus\n")
  file(RENAME ${OUTPUT}.part ${OUTPUT})
  return()
endif()

function(grus_embed_report target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/report_page_text.cpp)
  set(files page.html page.css ${report_scripts})
  list(TRANSFORM files PREPEND ${report_folder}/)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -P ${report_folder}/embed.cmake
    DEPENDS ${files} ${report_folder}/embed.cmake
    COMMENT "Embedding the report page" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
