# Completions for two shells, and the man page, made by the program itself once it is built. Not where the program cannot
# run here, nor under sanitizers, which would look for leaks each time.
if(CMAKE_CROSSCOMPILING OR VOLT_SANITIZE OR VOLT_SANITIZE_THREADS)
  return()
endif()

set(completion_dir ${CMAKE_CURRENT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completion_dir})
set(text_steps)
foreach(shell bash zsh)
  list(APPEND text_steps COMMAND volterra_cli completion ${shell} > ${completion_dir}/${shell})
endforeach()
set(man_template ${CMAKE_CURRENT_SOURCE_DIR}/docs/man/volterra.1.in)
set(option_texts ${CMAKE_CURRENT_SOURCE_DIR}/scripts/option_texts.py)
list(APPEND text_steps COMMAND Python3::Interpreter ${option_texts} man $<TARGET_FILE:volterra_cli> ${man_template}
                               > ${CMAKE_CURRENT_BINARY_DIR}/volterra.1)
set_property(TARGET volterra_cli APPEND PROPERTY LINK_DEPENDS ${man_template} ${option_texts})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/volterra.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
add_custom_command(TARGET volterra_cli POST_BUILD ${text_steps} VERBATIM)

install(FILES ${completion_dir}/bash RENAME volterra DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion_dir}/zsh RENAME _volterra DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
