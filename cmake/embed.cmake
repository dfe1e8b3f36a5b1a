# Compiles texts into the program. Included by CMake it offers
#   grus_embed_text(target NAME HEADER file...)   `const std::string_view NAME` of namespace grus, declared in HEADER: the
#                                                 files one after the other
# Run with -P it writes OUTPUT from FILES.
set(embed_script ${CMAKE_CURRENT_LIST_FILE})

if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  foreach(file ${FILES})
    file(READ ${file} content)
    string(APPEND text "${content}")
  endforeach()
  # A raw string: any text survives unless it holds the mark. g++ reads it a hundred times faster than a list of bytes.
  if(text MATCHES "\\)grus_text\"")
    message(FATAL_ERROR "${FILES}: the text holds the mark that ends it")
  endif()
  file(WRITE ${OUTPUT}.part "#include \"${HEADER}\"\nnamespace grus {\nstatic constexpr char text[] = R\"grus_text(")
  file(APPEND ${OUTPUT}.part "${text}")
  file(APPEND ${OUTPUT}.part ")grus_text\";\nconst std::string_view ${NAME}(text, sizeof text - 1);\n}  // namespace grus\n")
  file(RENAME ${OUTPUT}.part ${OUTPUT})
  return()
endif()

function(grus_embed_text target name header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUTPUT=${output} -DNAME=${name} -DHEADER=${header} -P ${embed_script}
    DEPENDS ${ARGN} ${embed_script}
    COMMENT "Embedding ${name}" VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()
